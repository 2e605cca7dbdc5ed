//! Pages of effective verdicts with digests of the judged texts.

use crate::dispatch::{Query, Watch};
use crate::visibility::AnnotatorView;
use benchtop_model::Result;
use benchtop_model::verdict::EffectiveVerdict;
use benchtop_model::verdict_interchange::ExchangedVerdict;
use benchtop_protocol::wire::{VERDICT_PAGE_ITEMS, VerdictPage, request};

/// Rows that are read under one lock, which delays decisions.
const AT_ONCE: u32 = 1024;
/// Approximate size of a page in bytes. Far below a frame, whatever people wrote.
const BYTES: usize = 4 << 20;
/// Approximate size of a verdict without its texts, in bytes.
const VERDICT: usize = 256;

impl Query for request::Verdicts {
    /// Verdicts on the items from number `from` on, of one round or of all, as far as the annotator may
    /// see them.
    fn answer(self, view: &AnnotatorView, _: &mut Watch<'_>) -> Result<VerdictPage> {
        let (round, from) = (self.round.as_deref(), self.from);
        let shared = view.shared();
        let catalog = shared.items.catalog();
        let len = catalog.len() as u32;
        let wanted = |row: u32, s: &EffectiveVerdict| {
            let asked = s.judgement.round.as_ref().map(|asked| asked.round.as_str());
            (round.is_none() || round == asked) && view.sees(row, &s.who)
        };
        let (mut row, mut items, mut bytes, mut list) = (from.saturating_sub(1), 0, 0, Vec::new());
        while row < len && items < VERDICT_PAGE_ITEMS && bytes < BYTES {
            let rows = row..len.min(row + AT_ONCE);
            let judged: Vec<(u32, Vec<EffectiveVerdict>)> = {
                let ledger = view.items.ledger();
                let own =
                    |row, s: &EffectiveVerdict| ledger.was_given_on(&s.uuid, row) && wanted(row, s);
                let standing = |row| {
                    (
                        row,
                        ledger
                            .effective_verdicts(row)
                            .into_iter()
                            .filter(|s| own(row, s))
                            .collect::<Vec<_>>(),
                    )
                };
                rows.clone()
                    .map(standing)
                    .filter(|(_, list)| !list.is_empty())
                    .collect()
            };
            row = rows.end;
            for (at, standing) in judged {
                if items == VERDICT_PAGE_ITEMS || bytes >= BYTES {
                    row = at;
                    break;
                }
                items += 1;
                let item = shared.items.pictures().shown_item(&catalog, at as usize)?;
                let on = item.digest();
                bytes += standing.iter().map(size).sum::<usize>() + standing.len() * item.id.len();
                list.extend(standing.into_iter().map(|s| {
                    let verdict = ExchangedVerdict {
                        item: item.id.clone(),
                        who: s.who,
                        judgement: s.judgement,
                        at: Some(s.at),
                        rev: Some(s.rev),
                        uuid: s.uuid,
                        on: Some(on.clone()),
                        question: None,
                    };
                    (at + 1, verdict)
                }));
            }
        }
        Ok(VerdictPage {
            list,
            next: (row < len).then_some(row + 1),
        })
    }
}

fn size(standing: &EffectiveVerdict) -> usize {
    let text = |text: &Option<String>| text.as_ref().map_or(0, String::len);
    VERDICT + text(&standing.judgement.note) + text(&standing.judgement.answer)
}
