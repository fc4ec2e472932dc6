import { conversationId } from '../../contract.ts';
import type { FormerMemory, IntakeOf } from '../../feature-points.ts';
import { memorySettings } from './settings.ts';
import { isRemembered, remember } from './tables.ts';

/** Memories of another program are found in all conversations of their person. */
export const memoryIntake: IntakeOf<FormerMemory> = {
  isKnown: ({ accounts, text }, sql) => isRemembered(sql, accounts, text),
  async store({ principal, accounts, text, tags, untrusted }, { sql, config, at }) {
    const [channel = '', chatId = ''] = principal.split(/:(.*)/s);
    // They were said in no conversation that is known here. That of the account, where it is one, finds them too.
    const of = { principal, accounts, conversationId: conversationId({ channel, chatId, kind: 'direct' }) };
    const maxEntries = memorySettings.read(config).tools.memory_store.max_entries;
    const draft = { of, scope: 'everywhere', tags, text, untrusted, maxEntries, at } as const;
    return (await remember(draft, sql)).status === 'full' ? 'full' : 'stored';
  },
};
