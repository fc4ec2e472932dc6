import type { Trust, TrustSubject } from '../../src/feature-points.ts';
import { wordsIn } from '../../src/lib/words.ts';

interface Listener {
  readonly subject: TrustSubject;
  readonly decided: (isTrusted: boolean) => void;
}

/** Trust that nothing stores: a test decides in the owners' place. */
export class MemoryTrust implements Trust {
  readonly #trusted = new Map<string, string>();
  readonly #reviewed = new Map<string, Listener>();
  /** What the owners were asked, the oldest first, in English. */
  readonly asked: TrustSubject[] = [];

  async review(subject: TrustSubject, decided: Listener['decided']): Promise<boolean> {
    this.#reviewed.set(subject.name, { subject, decided });
    if (this.#trusted.get(subject.name) === subject.fingerprint) return true;
    this.asked.push({ ...subject, what: wordsIn('en', subject.what) });
    return false;
  }

  /** An owner trusts what was reviewed last under the name. */
  trust(name: string): void {
    const listener = this.#reviewed.get(name);
    if (listener === undefined) throw new Error(`nothing was reviewed under the name ${name}`);
    this.#trusted.set(name, listener.subject.fingerprint);
    listener.decided(true);
  }

  /** An owner ends it. */
  distrust(name: string): void {
    this.#trusted.delete(name);
    this.#reviewed.get(name)?.decided(false);
  }
}
