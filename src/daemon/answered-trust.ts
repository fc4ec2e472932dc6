import type { Feature, Trust, TrustSubject } from '../feature-points.ts';

/** What owners trust, as the feature that keeps it answers. Nothing is trusted while there is none. */
export class AnsweredTrust implements Trust {
  #answering: Trust | undefined;

  /** Once all features are made. */
  answeredBy(features: readonly Feature[]): void {
    this.#answering = features.find(({ trust }) => trust !== undefined)?.trust;
  }

  review(subject: TrustSubject, decided: (isTrusted: boolean) => void, isAdopted?: boolean): Promise<boolean> {
    return this.#answering?.review(subject, decided, isAdopted) ?? Promise.resolve(false);
  }
}
