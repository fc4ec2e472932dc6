import type { Feature, FeatureCore, FeatureDefinition } from '../../feature-points.ts';
import { obeyedTrustCommands, trustCommands } from './commands.ts';
import { createTrustStore, trustTables } from './tables.ts';
import { createTrustBook, trustMatters } from './trust.ts';

/** What owners trust of the code and texts of others: they are asked once about each state, and decide by commands. */
export const trust: FeatureDefinition = {
  name: 'trust',
  commands: trustCommands.all,
  tables: trustTables,
  make: makeTrust,
};

function makeTrust(core: FeatureCore): Feature {
  const { rules, readers } = core;
  const stored = createTrustStore(core.database);
  const book = createTrustBook(core, stored);
  core.listings.set('trust', {
    forOwners: true,
    list: async (asked) => (await import('./listing.ts')).listTrust(asked, stored),
  });
  return {
    trust: book,
    commands: obeyedTrustCommands({ rules, stored, book }),
    async waiting(origin) {
      if (!rules.isOwner(origin.principal)) return [];
      const isDirect = origin.conversation.kind === 'direct';
      return trustMatters(await stored.all(), readers.forAnswer(origin).language, isDirect);
    },
    stop: book.stop,
  };
}
