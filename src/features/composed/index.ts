import type { CommandGroup, GivenCommand } from '../../conversation/commands/given-command.ts';
import { unknownWordWords } from '../../conversation/commands/help.ts';
import { firstWord } from '../../engine/message.ts';
import type { Feature, FeatureCore, FeatureDefinition } from '../../feature-points.ts';
import { escapeMarkdown, inlineCode, oneLine } from '../../lib/plain-text.ts';
import { lazyTool } from '../../tools/registry.ts';
import { composedSettings } from './settings.ts';
import { type ComposedToolStore, composedTables, createComposedToolStore, type StoredComposedTool } from './tables.ts';

/** Tools made from instructions, in the config or in a chat. A sub-run carries them out. */
export const composed: FeatureDefinition = {
  name: 'composed',
  settings: composedSettings,
  tables: composedTables,
  make: makeComposed,
};

function makeComposed(core: FeatureCore): Feature {
  const { config } = core;
  const settings = core.settings(composedSettings);
  const stored = createComposedToolStore(core.database);
  /** Tools that were removed, though that is not stored yet. */
  const removing = new Set<string>();
  return {
    commands: [composedCommand(core, stored, removing)],
    tools: () => [
      lazyTool('create_tool', 'destructive', async () => (await import('./composed-tool.ts')).createTool(core, stored)),
    ],
    async broughtTools() {
      const all = [
        ...settings.composed_tools.map((tool) => ({ tool })),
        ...(await stored.all())
          .filter(({ name }) => !removing.has(name))
          .map((tool) => ({ tool, author: tool.author })),
      ];
      if (all.length === 0) return [];
      const { composedTool } = await import('./composed-tool.ts');
      const { max_depth: maxDepth } = config.tools.delegate;
      return all.map(({ tool, ...author }) => ({
        registration: composedTool(tool, maxDepth),
        source: { type: 'composed', ...author },
      }));
    },
    workerOf: (worker) => (worker.type === 'composed' ? { prompt: '', only: worker.only } : undefined),
  };
}

/** Lists the tools made in chats. Owners, and the person who had one made, can remove it. */
function composedCommand(
  { registry, accounts, rules }: FeatureCore,
  stored: ComposedToolStore,
  removing: Set<string>,
): CommandGroup {
  return {
    takes: ({ name }) => name === 'composed',
    help: { section: 'here', text: '`/composed`: tools that were made in a chat' },
    async obey(given) {
      const { word, rest } = firstWord(given.argument);
      const tools = await stored.all();
      if (word === '') return given.answer(listWords(tools));
      if (word !== 'remove') return given.answer(unknownWordWords('composed', word, ['remove'], usage));
      const { word: name } = firstWord(rest);
      if (name === '') return given.answer('Say which: `/composed remove NAME`. `/composed` shows the names.');
      const tool = tools.find((one) => one.name === name);
      if (tool === undefined) return given.answer(noneWords(name));
      return remove(tool, given);
    },
  };

  async function remove({ name, author }: StoredComposedTool, { origin, answer, end }: GivenCommand): Promise<void> {
    if (!accounts.accountsOf(origin.principal).includes(author) && !rules.isOwner(origin.principal)) {
      return answer('Only an owner, or the person who had it made, can remove it.');
    }
    const words = `Removed: ${inlineCode(name)} is no longer a tool.`;
    await end(stored.remove(name), () => words, {
      held: words,
      now() {
        removing.add(name);
        registry.unregister({ type: 'composed', author }, name);
      },
      over: () => void removing.delete(name),
    });
  }
}

const usage = 'Say `/composed`, or `/composed remove NAME`.';

function noneWords(name: string): string {
  return `No tool ${inlineCode(oneLine(name, 64))} was made in a chat. ${inlineCode('/composed')} shows those that were.`;
}

function listWords(tools: readonly StoredComposedTool[]): string {
  if (tools.length === 0) return 'No tools were made in a chat.';
  const lines = tools.map(
    ({ name, description, author }) =>
      `- ${inlineCode(name)}, made for ${escapeMarkdown(author)}: ${escapeMarkdown(oneLine(description, 300))}`,
  );
  return ['Tools made from instructions:', ...lines, '', 'Remove one with `/composed remove NAME`.'].join('\n');
}
