import { type Answer, type ModelReply, replyTo } from './model-reply.ts';
import type { ModelRequest } from './model-request.ts';
import { Changes } from './wait-for.ts';

/** A text that is contained, a pattern, or a condition. */
export type Pattern = string | RegExp | ((text: string) => boolean);

interface Rule {
  readonly applies: (request: ModelRequest) => boolean;
  readonly answers: readonly Answer[];
  used: number;
}

/** What the model says to what, and what it was asked. */
export class ModelScript {
  readonly changes = new Changes();
  readonly #rules: Rule[] = [];
  readonly #requests: ModelRequest[] = [];
  #otherwise: Answer = echo;

  get requests(): readonly ModelRequest[] {
    return [...this.#requests];
  }

  add(applies: (request: ModelRequest) => boolean, answers: readonly Answer[]): void {
    this.#rules.push({ applies, answers, used: 0 });
  }

  setOtherwise(answer: Answer): void {
    this.#otherwise = answer;
  }

  /** Writes the request down and decides what to say: by the first rule that applies, its answers one after another. */
  reply(request: ModelRequest): ModelReply {
    this.#requests.push(request);
    const rule = this.#rules.find(({ applies }) => applies(request));
    const reply = replyTo(request, this.#nextAnswer(rule));
    this.changes.notify();
    return reply;
  }

  /** The last answer stays. */
  #nextAnswer(rule: Rule | undefined): Answer {
    if (rule === undefined) return this.#otherwise;
    const answer = rule.answers[rule.used] ?? rule.answers.at(-1) ?? this.#otherwise;
    rule.used += 1;
    return answer;
  }
}

export function isMatch(text: string, pattern: Pattern): boolean {
  if (typeof pattern === 'function') return pattern(text);
  return typeof pattern === 'string' ? text.includes(pattern) : pattern.test(text);
}

function echo({ lastUserText }: ModelRequest): string {
  return `echo: ${lastUserText}`;
}
