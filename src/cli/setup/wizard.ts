/* The set-up that asks: which model, which chat; then writes both at once. */

import { existsSync } from 'node:fs';
import { ownVersion } from '../../lib/own-version.ts';
import type { Language } from '../../lib/words.ts';
import { askForChat } from './chat-step.ts';
import { emptyDraft, joined, loadDraft, newTexts } from './draft.ts';
import { askForModel } from './model-step.ts';
import type { SetupParts } from './parts.ts';
import { onlyInEnvironment } from './prepare.ts';
import { CancelledError, type Questions, questionsAt } from './questions.ts';
import { setupWords } from './words.ts';
import { type Written, writeTexts } from './write-files.ts';

/**
 * How it ended. `start`: all is written, and Keyturn is to start in this process · `written`: it runs already, or the
 * person starts it later · `not-now`: the person wants the practice chat · `cancelled`: ctrl-c, and nothing is written.
 */
export type SetupEnd = 'start' | 'written' | 'not-now' | 'cancelled';

/** `isOffered`: at the first start, which goes on afterwards; else the person has asked for a set-up. */
export async function runWizard(parts: SetupParts, process: NodeJS.Process, isOffered: boolean): Promise<SetupEnd> {
  const say = setupWords[parts.language];
  const questions = await questionsAt(process, {
    title: say.title({ version: ownVersion() }),
    cancelled: say.nothingWritten,
    yes: say.yes,
    no: say.no,
  });
  const end = await askAndWrite(parts, questions, isOffered);
  if (end !== 'written' || isOffered || parts.isRunning) return isOffered && end === 'written' ? 'start' : end;
  return startNow(parts.language, questions);
}

async function askAndWrite(
  parts: SetupParts,
  questions: Questions,
  isOffered: boolean,
): Promise<Exclude<SetupEnd, 'start'>> {
  const { ground, language, isRunning } = parts;
  const say = setupWords[language];
  try {
    const model = await askForModel(parts, questions, isOffered);
    if (model === 'not-now') {
      questions.end(say.starts);
      return 'not-now';
    }
    const chat = await askForChat(parts, model.draft, questions);
    const draft = joined(model.draft, chat?.draft ?? emptyDraft);
    // Whatever it is, it is found before anything is written.
    const { config } = await loadDraft(ground, draft);
    const written = await writeTexts(ground, newTexts(ground, draft));
    for (const line of writtenLines(written, language)) questions.good(line);
    const variables = onlyInEnvironment(ground, draft);
    if (variables.length > 0) questions.tell(say.inEnvironment({ variables }));
    if (chat !== undefined) questions.tell(say.whoMayTalk);
    const isNew = chat !== undefined && config.owners.length === 0 && !existsSync(parts.dataFolder);
    if (isNew && isOffered) questions.tell(say.becomeOwner);
    if (isRunning) questions.end(written.length === 0 ? say.runsUnchanged : say.runsAlready);
    else if (isOffered) questions.end(say.starts);
    return 'written';
  } catch (error) {
    if (!(error instanceof CancelledError)) throw error;
    questions.end(say.nothingWritten);
    return 'cancelled';
  }
}

/** What was written, in lines for a person. */
export function writtenLines(written: readonly Written[], language: Language): readonly string[] {
  const say = setupWords[language];
  if (written.length === 0) return [say.nothingNew];
  return written.flatMap(({ path, before, isTightened = false }) => [
    say.wrote({ path }),
    ...(before === undefined ? [] : [say.keptBefore({ before })]),
    ...(isTightened ? [say.tightened({ path })] : []),
  ]);
}

async function startNow(language: Language, questions: Questions): Promise<SetupEnd> {
  const say = setupWords[language];
  const later = say.startLater({ command: startCommand() });
  try {
    if (await questions.agree(say.startNow)) {
      questions.end(say.starts);
      return 'start';
    }
  } catch (error) {
    if (!(error instanceof CancelledError)) throw error;
  }
  questions.end(later);
  return 'written';
}

/** A clone runs its sources, a package the built code. */
export function startCommand(): string {
  return import.meta.url.endsWith('.ts') ? 'npm start' : 'keyturn';
}
