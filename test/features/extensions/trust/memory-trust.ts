import type { TrustSubject } from '../../../../src/conversation/trust-store.ts';
import type { Trust } from '../../../../src/features/extensions/trust/trusted.ts';

interface Listener {
  readonly subject: TrustSubject;
  readonly whenTrusted: () => void;
  readonly whenDistrusted: () => void;
}

/** Trust that nothing stores: a test decides in the owners' place. */
export class MemoryTrust implements Trust {
  readonly #trusted = new Map<string, string>();
  readonly #reviewed = new Map<string, Listener>();
  /** What the owners were asked, the oldest first. */
  readonly asked: TrustSubject[] = [];

  async review(
    subject: TrustSubject,
    whenTrusted: () => void,
    whenDistrusted: () => void = () => {},
  ): Promise<'trusted' | 'asked'> {
    this.#reviewed.set(subject.name, { subject, whenTrusted, whenDistrusted });
    if (this.#trusted.get(subject.name) === subject.fingerprint) return 'trusted';
    this.asked.push(subject);
    return 'asked';
  }

  async adopt(
    subject: TrustSubject,
    whenTrusted: () => void,
    whenDistrusted?: () => void,
  ): Promise<'trusted' | 'asked'> {
    if (!this.#trusted.has(subject.name)) this.#trusted.set(subject.name, subject.fingerprint);
    return this.review(subject, whenTrusted, whenDistrusted);
  }

  /** An owner trusts what was reviewed last under the name. */
  trust(name: string): void {
    const listener = this.#reviewed.get(name);
    if (listener === undefined) throw new Error(`nothing was reviewed under the name ${name}`);
    this.#trusted.set(name, listener.subject.fingerprint);
    listener.whenTrusted();
  }

  /** An owner ends it. */
  distrust(name: string): void {
    this.#trusted.delete(name);
    this.#reviewed.get(name)?.whenDistrusted();
  }
}
