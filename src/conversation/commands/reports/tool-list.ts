import { type ApprovalSettings, modePermits, policyReason } from '../../../approval/verdict.ts';
import { escapeMarkdown, inlineCode } from '../../../lib/plain-text.ts';
import type { Language } from '../../../lib/words.ts';
import { type RegisteredTool, sourceIn } from '../../../tools/registry.ts';
import type { ToolRunner } from '../../../tools/runner.ts';
import { listWords } from './words.ts';

interface ToolListParts {
  /** The rules of approval there. */
  readonly settings: ApprovalSettings;
  readonly language: Language;
  readonly runner: Pick<ToolRunner, 'statisticsOf'>;
}

/** The tools as `/tools` lists them: by their source, with whether they ask and how they have done. */
export function toolList(tools: readonly RegisteredTool[], parts: ToolListParts): string {
  const sources = Map.groupBy(tools, ({ source }) => sourceIn(parts.language, source));
  const lines = [...sources].flatMap(([source, all]) => sourceLines(source, all, parts));
  return listWords[parts.language].toolsHere({ lines });
}

/** The tools of one source: all of them, or the first of very many. */
function sourceLines(source: string, tools: readonly RegisteredTool[], parts: ToolListParts): readonly string[] {
  const lines = tools.slice(0, mostOfSource).map((tool) => toolLine(tool, parts));
  const count = tools.length - lines.length;
  if (count === 0) return lines;
  return [...lines, listWords[parts.language].moreTools({ count, source: escapeMarkdown(source) })];
}

/** More fill the chat, and are found by asking for them. */
const mostOfSource = 60;

function toolLine({ name, category, source }: RegisteredTool, { settings, language, runner }: ToolListParts): string {
  const asks = policyReason(settings, name, category) !== undefined || category === 'destructive';
  const used = runner.statisticsOf(name);
  return listWords[language].toolLine({
    name: inlineCode(name),
    source: escapeMarkdown(sourceIn(language, source)),
    category,
    permission: modePermits(settings.mode, category) ? (asks ? 'asks' : 'never') : 'off',
    used: used && { ...used, average: Math.round(used.averageDuration) },
  });
}
