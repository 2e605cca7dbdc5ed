//! Lowers the priority of background work.

/// Nice value of background threads: about a tenth of the CPU share of a decision on the same core.
const NICE: i32 = 10;

/// Lowers the priority of the calling thread and of the threads that it starts.
pub fn lower_thread_priority() {
    // If not permitted, the thread keeps its priority.
    let _ = rustix::process::nice(NICE);
}

/// Lowers the priority of rayon's global thread pool. Call this once, before the pool starts.
pub fn lower_pool_priority() {
    // Tests may have started the pool already. It then keeps its priority.
    let _ = rayon::ThreadPoolBuilder::new()
        .start_handler(|_| lower_thread_priority())
        .build_global();
}
