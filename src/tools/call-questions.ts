import type { CallTimer } from './call-timer.ts';
import type { PersonQuestion } from './facets.ts';
import type { AskPerson } from './tool.ts';

export interface CallQuestionsDependencies {
  readonly ask: AskPerson;
  readonly timer: Pick<CallTimer, 'pause'>;
  /** Aborts when the call is told to end. */
  readonly signal: AbortSignal;
  /** Takes out what people may not read. */
  readonly said: (text: string) => string;
}

/** What one call asks its person while it runs. Its time stands still meanwhile, and no question outlives it. */
export class CallQuestions {
  readonly #dependencies: CallQuestionsDependencies;
  readonly #over = new AbortController();
  readonly #open = new Set<Promise<unknown>>();

  constructor(dependencies: CallQuestionsDependencies) {
    this.#dependencies = dependencies;
  }

  readonly ask: AskPerson = async (question, signal) => {
    const { timer } = this.#dependencies;
    const resume = timer.pause();
    const answer = this.#asked(question, signal);
    this.#open.add(answer);
    try {
      return await answer;
    } finally {
      this.#open.delete(answer);
      resume();
    }
  };

  /** Calls off what is still asked. Resolves when nothing is. */
  async end(): Promise<void> {
    this.#over.abort();
    await Promise.allSettled(this.#open);
  }

  #asked({ text, options, ...rest }: PersonQuestion, signal: AbortSignal | undefined): Promise<string | undefined> {
    const { ask, signal: told, said } = this.#dependencies;
    const ends = [told, this.#over.signal, ...(signal === undefined ? [] : [signal])];
    return ask({ ...rest, text: said(text), options: options.map(said) }, AbortSignal.any(ends));
  }
}
