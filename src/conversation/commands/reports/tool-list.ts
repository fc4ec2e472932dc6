import { type ApprovalSettings, modePermits, policyReason } from '../../../approval/verdict.ts';
import { escapeMarkdown, inlineCode } from '../../../lib/plain-text.ts';
import { describeSource, type RegisteredTool } from '../../../tools/registry.ts';
import type { ToolRunner } from '../../../tools/runner.ts';

interface ToolListParts {
  readonly runner: Pick<ToolRunner, 'statisticsOf'>;
}

/** The tools as `/tools` lists them: by their source, with whether they ask and how they have done. */
export function toolList(tools: readonly RegisteredTool[], settings: ApprovalSettings, parts: ToolListParts): string {
  const sources = Map.groupBy(tools, ({ source }) => describeSource(source));
  const lines = [...sources].flatMap(([source, all]) => sourceLines(source, all, settings, parts));
  return ['Tools here:', ...lines].join('\n');
}

/** The tools of one source: all of them, or the first of very many. */
function sourceLines(
  source: string,
  tools: readonly RegisteredTool[],
  settings: ApprovalSettings,
  parts: ToolListParts,
): readonly string[] {
  const lines = tools.slice(0, mostOfSource).map((tool) => toolLine(tool, settings, parts));
  const more = tools.length - lines.length;
  return more === 0 ? lines : [...lines, `- and ${more} more of ${escapeMarkdown(source)}`];
}

/** More fill the chat, and are found by asking for them. */
const mostOfSource = 60;

function toolLine(
  { name, category, source }: RegisteredTool,
  settings: ApprovalSettings,
  { runner }: ToolListParts,
): string {
  const asks = policyReason(settings, name, category) !== undefined || category === 'destructive';
  const permitted = asks ? 'asks first' : 'never asks';
  const permission = modePermits(settings.mode, category) ? permitted : 'not available in this mode';
  const statistics = runner.statisticsOf(name);
  const used =
    statistics === undefined
      ? ''
      : `; used ${statistics.count}×, ${statistics.failure} failed${statistics.isFailing ? ' (⚠️ keeps failing)' : ''}, ${Math.round(statistics.averageDuration)} ms on average`;
  return `- ${inlineCode(name)} (${escapeMarkdown(describeSource(source))}, ${category}): ${permission}${used}`;
}
