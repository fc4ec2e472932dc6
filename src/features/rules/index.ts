import type { OfferedFor, RuleOffer } from '../../approval/rules/rule.ts';
import type { Feature, FeatureCore, FeatureDefinition } from '../../feature-points.ts';
import { obeyedRulesCommands, rulesCommands } from './commands.ts';
import { supportedScope } from './history.ts';
import { createRuleStore, type RuleStore, rulesTables } from './tables.ts';

/** After several equal approvals, a card offers a lasting rule, by what it would have done in the recorded history. */
export const rules: FeatureDefinition = {
  name: 'rules',
  commands: rulesCommands.all,
  tables: rulesTables,
  make: makeRules,
};

function makeRules(core: FeatureCore): Feature {
  const store = createRuleStore(core.database);
  return {
    commands: obeyedRulesCommands({ ...core, rules: store }),
    ruleOffers: { offerFor: (call) => offerFor(call, store) },
  };
}

async function offerFor(call: OfferedFor, store: RuleStore): Promise<RuleOffer | undefined> {
  const scope = supportedScope(call, await store.history(call));
  return scope && { command: 'rule', scope };
}
