import { messageOf } from '../../../lib/plain-text.ts';
import { confirmed } from '../../confirmed.ts';
import { UnansweredError } from '../../unanswered-error.ts';
import { exitCodes } from '../command.ts';
import { faultOf } from './installation.ts';
import { claimNote, isUnderWay, removeNote, type UpdateNote, writeNote } from './note.ts';
import { runOwn } from './trial.ts';
import { partsFor, type UpdateParts } from './update-parts.ts';
import { updateWords } from './words.ts';

/** Of an update that was killed: tells of it, and goes back if that is wanted. Resolves with the exit code. */
export async function goBackFirst(note: UpdateNote, parts: UpdateParts): Promise<number> {
  const { context, installation } = parts;
  const { isOn, complain, language } = context;
  const say = updateWords[language];
  const [from, to] = [note.from.version, note.to.version];
  refuseIfUnderWay(note);
  complain(say.interrupted({ from, to }));
  if (isOn('check')) return exitCodes.failed;
  if (!isOn('yes') && !(await confirmed(say.goBackNow, context))) {
    complain(say.addYes);
    return exitCodes.failed;
  }
  const mine = { ...note, pid: process.pid };
  claim(installation.note, mine, note);
  return goBack(mine, say.wasInterrupted, partsFor(note.config, parts));
}

/** Throws if another process updates. */
export function refuseIfUnderWay(note: UpdateNote): void {
  if (isUnderWay(note)) throw underWay(note);
}

/** Throws if another process was faster. */
export function claim(file: string, note: UpdateNote, seen: UpdateNote | undefined): void {
  const other = claimNote(file, note, seen);
  if (other !== undefined) throw underWay(other);
}

function underWay({ from, to, pid }: UpdateNote): UnansweredError {
  return new UnansweredError(exitCodes.failed, (language) =>
    updateWords[language].underWay({ from: from.version, to: to.version, pid }),
  );
}

/** Code, dependencies and, if the newer version has changed them, the data are as before. Resolves with the exit code. */
export async function goBack(note: UpdateNote, fault: string, parts: UpdateParts): Promise<number> {
  const { complain, asJson, print, language } = parts.context;
  const say = updateWords[language];
  const back = putBack(note, parts);
  if (back !== undefined) {
    complain(say.stuck({ fault, back, backup: note.backup }));
    return exitCodes.failed;
  }
  const { version } = note.from;
  if (asJson) print(JSON.stringify({ updated: false, version, went_back: true, fault }, undefined, 2));
  else complain(say.wentBack({ fault, version }));
  end(note, parts);
  return exitCodes.failed;
}

/** Removes what was kept to go back, which is not done any more: a kill meanwhile leaves only what is to be removed. */
export function end(note: UpdateNote, { installation }: UpdateParts): void {
  writeNote(installation.note, { ...note, isOver: true });
  installation.tidy(note.from);
  removeNote(installation.note);
}

/** Gives what went wrong. What would lose something of the person's is seen before anything is stopped. */
function putBack(note: UpdateNote, { context, installation, manager, own }: UpdateParts): string | undefined {
  const { backup, hadService, replaced, touchedData } = note;
  try {
    const obstacle = replaced ? installation.obstacle(note) : undefined;
    if (obstacle !== undefined) return obstacle(context.language);
    if (hadService && replaced && manager.state().isActive) {
      const fault = manager.pause();
      if (fault !== undefined) return fault;
    }
    const fault = replaced ? installation.goBack(note.from) : undefined;
    if (fault !== undefined) return fault;
    // What the former version can read, stays: it has what was said since.
    if (touchedData && backup !== undefined && runOwn(own, ['verify']).code !== 0) {
      const restored = faultOf(runOwn(own, ['restore', backup]), 'keyturn restore');
      if (restored !== undefined) return restored;
    }
    return hadService && !manager.state().isActive ? manager.start() : undefined;
  } catch (error) {
    return messageOf(error);
  }
}
