import { sourceWords } from '../../approval/verdict.ts';
import type { Owners } from '../access/access.ts';
import type { CommandEffects } from '../effects.ts';
import { type CommandVariant, defineCommands } from './definition.ts';
import { commandWords } from './words.ts';

/** The core's commands. Features add theirs. */
export const coreCommands = defineCommands(commandWords, {
  stop: { section: 'now', order: 10, isOften: true },
  new: { section: 'now', order: 20, isOften: true },
  approve: { section: 'now', order: 30 },
  deny: { section: 'now', order: 40 },
  status: { section: 'now', order: 50, isOften: true },
  help: { section: 'now', order: 60 },
  model: { section: 'here', order: 70, isOften: true },
  usage: { section: 'here', order: 80 },
  grants: { section: 'here', order: 90 },
  revoke: { section: 'here', order: 100 },
  timezone: { section: 'yours', order: 140 },
  language: { section: 'yours', order: 141 },
  tools: { section: 'here', order: 150, isOften: true },
  context: { section: 'here', order: 170 },
  compact: { section: 'here', order: 180 },
  retry: { section: 'now', order: 200 },
  drop: { section: 'now', order: 210 },
  pair: { section: 'owners', order: 270, isOften: true },
  people: { section: 'owners', order: 280 },
  unpair: { section: 'owners', order: 290 },
  claim: { section: 'now', order: 330 },
});

interface TrustParts {
  readonly owners: Pick<Owners, 'isOwner'>;
  readonly effects: Pick<CommandEffects, 'trustHere'>;
}

/** `/trust here`: an owner marks what was read in the conversation until now as trusted. */
export function trustHere({ owners, effects }: TrustParts): CommandVariant {
  return {
    name: 'trust',
    takes: ({ argument }) => /^here$/i.test(argument.trim()),
    // Behind `/trust ID`, which is a feature's.
    help: { section: 'owners', order: 301, text: (language) => commandWords[language].trustHereHelp },
    async obey({ origin, answer, obey, reader }) {
      const words = commandWords[reader.language];
      if (!owners.isOwner(origin.principal)) return answer(words.ownersOnly);
      await obey(effects.trustHere, (trusted) =>
        trusted.length === 0
          ? words.nothingUntrusted
          : words.trustedHere({ sources: sourceWords(trusted, reader.language) }),
      );
    },
  };
}
