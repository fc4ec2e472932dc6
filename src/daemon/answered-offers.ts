import type { OfferedFor, RuleOffer, RuleOffers } from '../approval/rules/rule.ts';
import type { Feature } from '../feature-points.ts';

/** What cards offer beside their own call, as the feature that finds it answers. Nothing while there is none. */
export class AnsweredOffers implements RuleOffers {
  #answering: RuleOffers | undefined;

  /** Once all features are made. */
  answeredBy(features: readonly Feature[]): void {
    this.#answering = features.find(({ ruleOffers }) => ruleOffers !== undefined)?.ruleOffers;
  }

  async offerFor(call: OfferedFor): Promise<RuleOffer | undefined> {
    return this.#answering?.offerFor(call);
  }
}
