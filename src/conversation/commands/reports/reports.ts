import type { RoomEntry, Suggestion } from '../../../contract.ts';
import type { Origin } from '../../../engine/message.ts';
import type { ToolScope } from '../../../tools/tool.ts';
import { type ListAnswer, leadingButton } from '../../../words/command-buttons.ts';
import type { ConversationCore } from '../../conversation-core.ts';
import type { GivenCommand } from '../given-command.ts';
import type { ReportParts } from './report-parts.ts';
import { settingsIn, statusReport } from './status.ts';
import { type SuggestionParts, suggestionsFor } from './suggestions.ts';
import { toolGroups, toolList } from './tools/tool-list.ts';
import { toolListWords } from './tools/words.ts';
import { usageReport } from './usage.ts';
import { roomEntries, showAgain, undeliveredList } from './waiting-room.ts';

/** The answers to `/status`, `/tools` and `/usage`. */
export interface Reports {
  status(origin: Origin, argument: string): Promise<ListAnswer>;
  /** `/status ID`: the card is shown again. */
  showAgain(id: string, given: GivenCommand): Promise<void>;
  /** `/retry` and `/drop`, where no message is named. */
  undelivered(origin: Origin, verb: string): Promise<ListAnswer>;
  /** The waiting room, for channels with a page for it. */
  room(origin: Origin): Promise<readonly RoomEntry[]>;
  /** What may follow a command that this person types there. */
  suggestions(
    origin: Origin,
    asked: { readonly command: string; readonly typed: string },
  ): Promise<readonly Suggestion[]>;
  /** Today's usage: in the conversation, of the person and, for owners, of everybody. */
  usage(origin: Origin): Promise<string>;
  tools(origin: Origin, argument: string): ListAnswer;
}

export function createReports(parts: SuggestionParts): Reports {
  const upSince = parts.clock.now();
  return {
    status: (origin, argument) => statusReport(origin, { upSince, argument }, parts),
    showAgain: (id, given) => showAgain(id, given, parts),
    undelivered: (origin, verb) => undeliveredList(origin, verb, parts),
    room: (origin) => roomEntries(origin, parts),
    suggestions: (origin, asked) => suggestionsFor(origin, asked, parts),
    usage: (origin) => usageReport(origin, parts),
    tools: (origin, argument) => toolsReport(origin, argument, parts),
  };
}

/** The tools by what they do; with `all`, one by one. */
function toolsReport(origin: Origin, argument: string, parts: ReportParts): ListAnswer {
  const tools = parts.registry.list(scopeOf(origin, parts.workspaceOf));
  const settings = settingsIn(parts.chats.of(origin.conversation), parts.config);
  const { language } = parts.readers.forAnswer(origin);
  const isWhole = argument.toLowerCase() === 'all';
  const list = isWhole ? toolList : toolGroups;
  const listed = list(tools, { settings, language, runner: parts.runner });
  const { buttonShowAll, buttonShowLess } = toolListWords[language];
  return {
    markdown: [listed, ...parts.missingTools(origin)].join('\n\n'),
    again: isWhole ? 'tools all' : 'tools',
    rows: [[isWhole ? leadingButton(buttonShowLess, 'tools') : leadingButton(buttonShowAll, 'tools all')]],
  };
}

/** The scope of a command, as tools see it. */
export function scopeOf(
  { conversation, conversationId, principal, name }: Origin,
  workspaceOf: ConversationCore['workspaceOf'],
): ToolScope {
  const { title: _title, ...untitled } = conversation;
  const workspace = workspaceOf(conversation, principal);
  return { ...untitled, conversationId, workspace, sender: { principal, name } };
}
