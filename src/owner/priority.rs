//! The priority of work that nobody waits for.

/// How much nicer than a decision: a tenth of its share where both want the same core.
const NICE: i32 = 10;

/// Gives the calling thread way to what people wait for. Threads that it starts do so too.
pub fn lower_thread_priority() {
    // Where it is not allowed, work only is as hurried as everything else.
    let _ = rustix::process::nice(NICE);
}

/// Has the threads that share out large work give way, whoever asked for it. Called once, before any is started.
pub fn all_give_way() {
    // Somebody may have started them already, as tests do: then they stay as they are.
    let _ = rayon::ThreadPoolBuilder::new()
        .start_handler(|_| lower_thread_priority())
        .build_global();
}
