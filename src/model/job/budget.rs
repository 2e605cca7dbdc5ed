//! Budgets of jobs: limits on what a job sends to servers.

use serde::{Deserialize, Serialize};

/// Limits on what a job sends. A job that has reached one pauses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Budget {
    /// Maximum number of requests, repeated ones included.
    pub requests: Option<u64>,
    /// Maximum number of tokens, prompts and outputs together.
    pub tokens: Option<u64>,
    /// Maximum cost in millionths of the currency unit.
    pub cost_micros: Option<u64>,
}

/// What a job has sent to servers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Usage {
    /// Requests, repeated ones included.
    pub requests: u64,
    /// Prompt tokens, as the servers counted them.
    pub tokens_in: u64,
    /// Output tokens, as the servers counted them.
    pub tokens_out: u64,
    /// Answers without token counts.
    pub untold: u64,
    /// Cost of the tokens in millionths of the currency unit, rounded up. `None` without prices.
    pub cost_micros: Option<u64>,
}

/// Prices of a million prompt tokens and of a million output tokens, in millionths of the currency
/// unit.
pub type Prices = (u64, u64);

/// The number of tokens that prices refer to.
const PRICED: u128 = 1_000_000;

impl Usage {
    pub fn tokens(&self) -> u64 {
        self.tokens_in.saturating_add(self.tokens_out)
    }

    /// Cost in millionths of the currency unit, rounded up.
    pub fn cost(&self, prices: Prices) -> u64 {
        let part = |tokens: u64, price: u64| u128::from(tokens) * u128::from(price);
        let cost = part(self.tokens_in, prices.0).saturating_add(part(self.tokens_out, prices.1));
        u64::try_from(cost.div_ceil(PRICED)).unwrap_or(u64::MAX)
    }

    /// The same with the cost, if there are prices.
    #[must_use]
    pub fn priced(self, prices: Prices) -> Usage {
        let cost_micros = (prices != (0, 0)).then(|| self.cost(prices));
        Usage {
            cost_micros,
            ..self
        }
    }

    /// The larger of both counts, each by itself.
    #[must_use]
    pub fn max(self, other: Usage) -> Usage {
        Usage {
            requests: self.requests.max(other.requests),
            tokens_in: self.tokens_in.max(other.tokens_in),
            tokens_out: self.tokens_out.max(other.tokens_out),
            untold: self.untold.max(other.untold),
            cost_micros: None,
        }
    }

    /// Counts the tokens of an answer; `None` if the server did not count them.
    pub fn add_answer(&mut self, tokens: Option<(u64, u64)>) {
        match tokens {
            Some((prompt, output)) => {
                self.tokens_in = self.tokens_in.saturating_add(prompt);
                self.tokens_out = self.tokens_out.saturating_add(output);
            }
            None => self.untold = self.untold.saturating_add(1),
        }
    }
}

/// Why a budget allows no further request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spent {
    Requests(u64),
    Tokens(u64),
    /// In millionths of the currency unit.
    Cost(u64),
    /// Servers do not count tokens, so a budget of tokens or money cannot be kept. The budget of
    /// tokens, or else `None` for the one of money.
    Untold(Option<u64>),
}

impl Budget {
    /// Whether there is no limit.
    pub fn is_unlimited(&self) -> bool {
        *self == Budget::default()
    }

    /// Whether a job with this usage may send no further request, and why.
    pub fn spent(&self, usage: &Usage, prices: Prices) -> Option<Spent> {
        let reached = |limit: Option<u64>, used: u64| limit.filter(|limit| used >= *limit);
        let of_requests = reached(self.requests, usage.requests).map(Spent::Requests);
        let of_tokens = reached(self.tokens, usage.tokens()).map(Spent::Tokens);
        let of_cost = reached(self.cost_micros, usage.cost(prices)).map(Spent::Cost);
        let counts_tokens = self.tokens.is_some() || self.cost_micros.is_some();
        let untold = (counts_tokens && usage.untold > 0).then_some(Spent::Untold(self.tokens));
        of_requests.or(of_tokens).or(of_cost).or(untold)
    }
}

impl Budget {
    /// The limits as words that [`parse`](Self::parse) reads; empty without limits.
    pub fn to_text(&self) -> String {
        let part = |name: &str, limit: Option<String>| limit.map(|limit| format!("{name} {limit}"));
        let number = |n: Option<u64>| n.map(|n| n.to_string());
        let parts = [
            part("requests", number(self.requests)),
            part("tokens", number(self.tokens)),
            part("cost", self.cost_micros.map(money)),
        ];
        parts.into_iter().flatten().collect::<Vec<_>>().join(" ")
    }

    /// Parses limits such as `requests 100 tokens 50000 cost 2.5`. A number alone limits requests.
    ///
    /// # Errors
    /// What is expected.
    pub fn parse(text: &str) -> Result<Budget, String> {
        let expected = |text: &str| {
            format!("`{text}` is not a limit; expected `requests N`, `tokens N`, or `cost X`")
        };
        let above_zero = |n: &u64| *n > 0;
        let number = |text: &str| text.parse().ok().filter(above_zero);
        let mut budget = Budget::default();
        let is_between = |c: char| c.is_whitespace() || matches!(c, ',' | '=');
        let mut words = text.split(is_between).filter(|word| !word.is_empty());
        while let Some(name) = words.next() {
            if let Some(n) = number(name) {
                budget.requests = Some(n);
                continue;
            }
            let value = words.next().ok_or_else(|| expected(name))?;
            let limit = match name {
                "cost" => parse_money(value).ok().filter(above_zero),
                _ => number(value),
            };
            let limit = limit.ok_or_else(|| expected(&format!("{name} {value}")))?;
            match name {
                "requests" => budget.requests = Some(limit),
                "tokens" => budget.tokens = Some(limit),
                "cost" => budget.cost_micros = Some(limit),
                _ => return Err(expected(&format!("{name} {value}"))),
            }
        }
        Ok(budget)
    }
}

/// An amount of money in millionths of the currency unit, without trailing zeros.
pub fn money(micros: u64) -> String {
    let text = format!("{}.{:06}", micros / 1_000_000, micros % 1_000_000);
    text.trim_end_matches('0').trim_end_matches('.').to_string()
}

impl Spent {
    /// What is spent, as a sentence.
    pub fn reason(self) -> String {
        match self {
            Spent::Requests(1) => "the budget of 1 request is spent".into(),
            Spent::Requests(n) => format!("the budget of {n} requests is spent"),
            Spent::Tokens(n) => format!("the budget of {n} tokens is spent"),
            Spent::Cost(micros) => format!("the budget of {} is spent", money(micros)),
            Spent::Untold(Some(n)) => format!(
                "the server does not count tokens, so the budget of {n} tokens cannot be kept"
            ),
            Spent::Untold(None) => {
                "the server does not count tokens, so the budget of money cannot be kept".into()
            }
        }
    }

    /// What to do about it, for the job with this number.
    pub fn remedy(self, id: u32) -> String {
        let command = |flag: &str, value: &str| {
            format!("`benchtop jobs budget {id} --{flag} {value}`, then resume")
        };
        let twice = |n: u64| n.saturating_mul(2).max(1);
        match self {
            Spent::Requests(n) => {
                format!(
                    "raise it with {}",
                    command("max-requests", &twice(n).to_string())
                )
            }
            Spent::Tokens(n) => {
                format!(
                    "raise it with {}",
                    command("max-total-tokens", &twice(n).to_string())
                )
            }
            Spent::Cost(n) => format!("raise it with {}", command("max-cost", &money(twice(n)))),
            Spent::Untold(Some(_)) => {
                format!("remove it with {}", command("max-total-tokens", "0"))
            }
            Spent::Untold(None) => format!("remove it with {}", command("max-cost", "0")),
        }
    }
}

/// Changes of a budget. An outer `None` leaves a limit as it is, and an inner one removes it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct BudgetChange {
    pub requests: Option<Option<u64>>,
    pub tokens: Option<Option<u64>>,
    pub cost_micros: Option<Option<u64>>,
}

impl BudgetChange {
    /// The budget after the change.
    pub fn apply(self, budget: Budget) -> Budget {
        Budget {
            requests: self.requests.unwrap_or(budget.requests),
            tokens: self.tokens.unwrap_or(budget.tokens),
            cost_micros: self.cost_micros.unwrap_or(budget.cost_micros),
        }
    }
}

/// Parses an amount of money as millionths of the currency unit.
///
/// # Errors
/// What is expected.
pub fn parse_money(text: &str) -> Result<u64, String> {
    let expected = || format!("`{text}` is not an amount of money from 0 to 1000000, such as 2.50");
    let amount: f64 = text.trim().parse().map_err(|_| expected())?;
    match (0.0..=1e6).contains(&amount) {
        true => Ok((amount * 1e6).round() as u64),
        false => Err(expected()),
    }
}

/// What was spent of each limit, such as `12 of 37 requests`; what has no limit is left out unless
/// `all` is set.
pub fn spending(budget: &Budget, usage: &Usage, all: bool) -> Vec<String> {
    let mut parts = Vec::new();
    let mut add = |used: String, limit: Option<String>, unit: &str| match limit {
        Some(limit) => parts.push(format!("{used} of {limit}{unit}")),
        None if all => parts.push(format!("{used}{unit}")),
        None => {}
    };
    let number = |n: Option<u64>| n.map(|n| n.to_string());
    let unit = match budget.requests.unwrap_or(usage.requests) {
        1 => " request",
        _ => " requests",
    };
    add(usage.requests.to_string(), number(budget.requests), unit);
    if all || budget.tokens.is_some() {
        add(usage.tokens().to_string(), number(budget.tokens), " tokens");
    }
    if usage.cost_micros.is_some() || budget.cost_micros.is_some() {
        let used = money(usage.cost_micros.unwrap_or_default());
        let limit = budget.cost_micros.map(money);
        add(format!("cost {used}"), limit, "");
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    const PRICES: Prices = (2_000_000, 8_000_000);

    fn used(requests: u64, tokens_in: u64, tokens_out: u64) -> Usage {
        Usage {
            requests,
            tokens_in,
            tokens_out,
            ..Usage::default()
        }
    }

    #[test]
    fn a_budget_is_spent_when_one_of_its_limits_is_reached() {
        let budget = Budget {
            requests: Some(37),
            tokens: Some(1000),
            cost_micros: Some(5000),
        };
        let spent = |usage: Usage| budget.spent(&usage, PRICES);
        assert_eq!(spent(used(36, 999, 0)), None);
        assert_eq!(spent(used(37, 0, 0)), Some(Spent::Requests(37)));
        assert_eq!(spent(used(99, 0, 0)), Some(Spent::Requests(37)));
        assert_eq!(spent(used(1, 900, 100)), Some(Spent::Tokens(1000)));
        // 500 tokens at 2 and 500 at 8 per million.
        assert_eq!(used(1, 500, 500).cost(PRICES), 5000);
        assert_eq!(spent(used(1, 400, 525)), Some(Spent::Cost(5000)));
        assert_eq!(spent(used(1, 400, 524)), None);
        assert_eq!(Budget::default().spent(&used(u64::MAX, 1, 1), PRICES), None);
    }

    #[test]
    fn answers_without_token_counts_stop_budgets_that_need_them() {
        let mut usage = used(2, 0, 0);
        usage.add_answer(Some((10, 5)));
        usage.add_answer(None);
        assert_eq!((usage.tokens(), usage.untold), (15, 1));
        let of = |requests, tokens, cost_micros| Budget {
            requests,
            tokens,
            cost_micros,
        };
        let spent = |budget: Budget| budget.spent(&usage, PRICES);
        assert_eq!(spent(of(Some(3), None, None)), None);
        assert_eq!(
            spent(of(None, Some(99), None)),
            Some(Spent::Untold(Some(99)))
        );
        assert_eq!(
            spent(of(None, None, Some(99_999))),
            Some(Spent::Untold(None))
        );
    }

    #[test]
    fn sums_and_costs_do_not_overflow() {
        let mut usage = used(1, u64::MAX - 1, 3);
        usage.add_answer(Some((9, 9)));
        assert_eq!((usage.tokens_in, usage.tokens_out), (u64::MAX, 12));
        assert_eq!(usage.tokens(), u64::MAX);
        assert_eq!(usage.cost((u64::MAX, u64::MAX)), u64::MAX);
        assert_eq!(used(1, 1, 0).cost((1, 0)), 1, "rounded up");
        assert_eq!(used(1, 1, 0).priced((0, 0)).cost_micros, None);
    }

    #[test]
    fn reasons_name_the_limit_and_the_remedy() {
        let said = |spent: Spent| format!("{}; {}", spent.reason(), spent.remedy(12));
        assert_eq!(
            said(Spent::Requests(37)),
            "the budget of 37 requests is spent; raise it with `benchtop jobs budget 12 --max-requests 74`, then resume"
        );
        assert_eq!(
            said(Spent::Cost(2_500_000)),
            "the budget of 2.5 is spent; raise it with `benchtop jobs budget 12 --max-cost 5`, then resume"
        );
        assert_eq!(
            said(Spent::Untold(Some(9))),
            "the server does not count tokens, so the budget of 9 tokens cannot be kept; remove it with `benchtop jobs budget 12 --max-total-tokens 0`, then resume"
        );
    }

    #[test]
    fn a_change_keeps_what_it_does_not_name() {
        let before = Budget {
            requests: Some(37),
            tokens: Some(5),
            cost_micros: None,
        };
        let change = BudgetChange {
            requests: Some(Some(100)),
            tokens: Some(None),
            cost_micros: None,
        };
        let after = change.apply(before);
        assert_eq!((after.requests, after.tokens), (Some(100), None));
        assert_eq!(BudgetChange::default().apply(before), before);
    }

    #[test]
    fn a_budget_is_typed_as_words() {
        let all = Budget {
            requests: Some(100),
            tokens: Some(50_000),
            cost_micros: Some(2_500_000),
        };
        assert_eq!(all.to_text(), "requests 100 tokens 50000 cost 2.5");
        assert_eq!(Budget::default().to_text(), "");
        for (text, budget) in [
            ("requests 100 tokens 50000 cost 2.5", all),
            (" cost=2.50, tokens=50000,requests=100 ", all),
            ("", Budget::default()),
            (
                "37",
                Budget {
                    requests: Some(37),
                    ..Budget::default()
                },
            ),
        ] {
            assert_eq!(Budget::parse(text), Ok(budget), "{text}");
        }
        for wrong in [
            "0",
            "many",
            "requests",
            "requests -1",
            "cost 0",
            "pictures 3",
        ] {
            assert!(Budget::parse(wrong).unwrap_err().contains(wrong), "{wrong}");
        }
    }

    #[test]
    fn money_is_read_and_written_exactly() {
        for (text, micros, back) in [
            ("2.50", 2_500_000, "2.5"),
            ("0.000001", 1, "0.000001"),
            ("12", 12_000_000, "12"),
            ("0", 0, "0"),
            ("1000000", 1_000_000_000_000, "1000000"),
        ] {
            assert_eq!(parse_money(text), Ok(micros));
            assert_eq!(money(micros), back);
        }
        for wrong in ["", "-1", "NaN", "inf", "1000001", "two"] {
            assert!(parse_money(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn spending_shows_what_is_limited() {
        let usage = used(12, 300, 40).priced(PRICES);
        let budget = Budget {
            requests: Some(37),
            ..Budget::default()
        };
        assert_eq!(spending(&budget, &usage, false), ["12 of 37 requests"]);
        assert_eq!(
            spending(&budget, &usage, true),
            ["12 of 37 requests", "340 tokens", "cost 0.00092"]
        );
        assert!(spending(&Budget::default(), &usage, false).is_empty());
    }
}
