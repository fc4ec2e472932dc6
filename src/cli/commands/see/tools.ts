import type { ToolFacts } from '../../../daemon/local-socket/tool-facts.ts';
import type { Language } from '../../../lib/words.ts';
import { askDaemon } from '../../ask-daemon.ts';
import { columns } from '../../columns.ts';
import { type CommandContext, exitCodes } from '../command.ts';
import { seeWords } from './words.ts';

/** `tools`: each with its source, its category, and whether it asks. */
export async function tools(context: CommandContext): Promise<number> {
  const { asJson, print, language } = context;
  const facts = await askDaemon<{ readonly tools: readonly ToolFacts[] }>(context, {
    request: 'tools',
    fields: ['tools'],
  });
  print(asJson ? JSON.stringify(facts, undefined, 2) : toolsText(facts.tools, language));
  return exitCodes.done;
}

/** For a person: by source. */
export function toolsText(listed: readonly ToolFacts[], language: Language): string {
  const say = seeWords[language];
  if (listed.length === 0) return say.noTools;
  const rows = columns(
    listed.map(({ name, category, permission, reason }) => [name, category, say.permission({ permission, reason })]),
  );
  const sources = [...new Set(listed.map(({ source }) => source))];
  return sources
    .flatMap((source) => [source, ...rows.filter((_row, index) => listed[index]?.source === source)])
    .join('\n');
}
