import { priceOf } from '../config/choose-model.ts';
import type { Config } from '../config/schema.ts';
import type { Approvals } from '../engine/decide.ts';
import type { Spent } from '../engine/journal.ts';
import { dayIn } from '../lib/local-time.ts';
import type { ModelPrice } from '../models/price.ts';
import type { BudgetLimits, SpendingLimits } from '../runs/budget/bounds.ts';
import { CallsInFlight, RunBudget } from '../runs/budget/run-budget.ts';
import type { Services } from './parts.ts';

/** What looks before each call of a model whether it may still be paid for. */
export function makeBudget({ store, config, accounts, clock, deliver }: Services, approvals: Approvals): RunBudget {
  return new RunBudget({
    store: store.runs,
    spending: store.spending,
    attempts: store.attempts,
    approvals,
    limits: budgetLimitsOf(config),
    inFlight: new CallsInFlight(largestCallOf(config)),
    priceOf: pricesOf(config),
    accountsOf: accounts.accountsOf,
    dayOf: dayOf(config),
    clock,
    say: (conversationId, message) => store.outbox.say(conversationId, message, clock.now()),
    deliver,
  });
}

/** Names the day of an instant, as budgets count them. */
export function dayOf(config: Config): (at: number) => string {
  return dayIn(config.tools.schedule.time_zone);
}

export function budgetLimitsOf({ agent, budget }: Config): BudgetLimits {
  return {
    turns: agent.max_turns,
    perRun: limitsOf(budget.tokens_per_run, budget.money_per_run),
    perPerson: limitsOf(budget.tokens_per_person_per_day, budget.money_per_person_per_day),
    perDay: limitsOf(budget.tokens_per_day, budget.money_per_day),
  };
}

function pricesOf({ models }: Config): (model: string) => ModelPrice | undefined {
  const prices = Object.entries(models).flatMap(([name, { price }]) =>
    price === undefined ? [] : [[name, priceOf(price)] as const],
  );
  const byName = new Map(prices);
  return (model) => byName.get(model);
}

/** About what the longest request takes, with an answer, of the dearest model. */
function largestCallOf({ agent, models }: Config): Spent {
  const tokens = agent.context_tokens + longAnswer;
  const prices = Object.values(models).flatMap(({ price }) =>
    price === undefined ? [] : [agent.context_tokens * price.input_per_million + longAnswer * price.output_per_million],
  );
  return { tokens, cost: Math.max(0, ...prices) };
}

/** In tokens. */
const longAnswer = 4000;

function limitsOf(tokens: number | undefined, money: number | undefined): SpendingLimits {
  return {
    tokens,
    ...(money === undefined ? {} : { cost: Math.round(money * 1_000_000) }),
  };
}
