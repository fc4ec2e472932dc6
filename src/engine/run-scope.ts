/* Where and for whom a run works: what judges its calls and what its tools see, as the config and what was read are now. */

import { agentModes, couldLeak, labelsFor } from '../approval/verdict.ts';
import type { Language } from '../lib/words.ts';
import { WorkspaceFolderError } from '../tools/guard/workspace/workspace.ts';
import { isAddressSaid, readWords } from '../tools/said-values.ts';
import type { Transcript } from '../transcript.ts';
import { plainLinks } from '../words/plain-links.ts';
import type { RunScope, Runtime } from './feature.ts';
import { type RunState, shownIn } from './journal.ts';
import { causeOf } from './why-asked.ts';
import { engineWords } from './words.ts';

/**
 * Where the calls of a run are judged and its tools work. A sub-run inherits the limits of all runs above it, as they are
 * now.
 */
export function runScopeOf(
  state: RunState,
  principal: string,
  runtime: Pick<Runtime, 'workspaceOf' | 'subRuns' | 'chats' | 'settings' | 'readerIn'>,
): RunScope {
  const { workspaceOf, subRuns, chats, settings, readerIn } = runtime;
  const { model, conversation, conversationId, subRun } = state;
  const { entries } = state.transcript;
  const labels = labelsFor(state.labels, principal);
  const { title, ...untitled } = conversation;
  const root = shownIn(state);
  const workers = subRun === undefined ? [] : [...subRun.above, subRun.worker];
  const found = workers.map((worker) => subRuns.workerOf(worker));
  const workspace = (found.at(-1)?.workspaceOf ?? workspaceOf)(conversation, principal);
  const sender = { principal, name: nameOf(principal, state) };
  const within = subRun && { depth: workers.length, only: found.map((one) => one?.only ?? []) };
  const ownWords = (): readonly string[] => messagesBy(principal, entries);
  const reading = (): Language => readerIn(root).language;
  return {
    titleIn: (language) =>
      conversation.kind === 'direct' ? engineWords[language].directChat(conversation.channel) : (title ?? root),
    scope: { ...untitled, conversationId: root, workspace, sender, within },
    labels,
    ownWords,
    cause: causeOf(entries, principal),
    model,
    workers,
    calls: entries.flatMap((entry) => (entry.type === 'turn' ? entry.calls : [])),
    withoutLinks: couldLeak(labels, settings.approval) ? linksRemover(ownWords, settings, reading) : undefined,
    runsIn: subRun && conversationId,
    // The strictest comes first.
    mode: agentModes.find((mode) => [chats.of(conversation), ...found].some((one) => one?.mode === mode)),
  };
}

/** Makes links plain text, but to trusted hosts and addresses that the person named. */
function linksRemover(
  ownWords: RunScope['ownWords'],
  settings: Runtime['settings'],
  language: () => Language,
): NonNullable<RunScope['withoutLinks']> {
  return (markdown, note) => {
    const said = readWords(ownWords().join('\n'));
    const isNamed = (host: string, address: string): boolean =>
      settings.isTrustedHost(host) || isAddressSaid(said, address);
    return plainLinks(markdown, isNamed, language(), note);
  };
}

/** Undefined if the workspace is broken. */
export function scopeIfAny(...of: Parameters<typeof runScopeOf>): RunScope | undefined {
  try {
    return runScopeOf(...of);
  } catch (error) {
    if (error instanceof WorkspaceFolderError) return undefined;
    throw error;
  }
}

/** What the person wrote, by messages. Those that follow each other are one. */
function messagesBy(principal: string, entries: Transcript['entries']): readonly string[] {
  const runs: string[][] = [[]];
  for (const entry of entries) {
    if (entry.type === 'user' && entry.principal === principal) runs.at(-1)?.push(entry.text);
    else if (entry.type === 'turn' || entry.type === 'closing') runs.push([]);
  }
  return runs.map((texts) => texts.join('\n')).filter((text) => text !== '');
}

function nameOf(principal: string, { transcript, lateCalls }: RunState): string {
  const names = transcript.entries.flatMap((entry) =>
    (entry.type === 'user' || entry.type === 'event') && entry.principal === principal ? (entry.name ?? []) : [],
  );
  return names.at(-1) ?? lateCalls.find((call) => call.principal === principal)?.principalName ?? principal;
}
