import type { InboundAction, InboundMessage } from '../contract.ts';
import type { PressedCommand } from '../words/command-buttons.ts';
import type { Core } from './feature.ts';
import { type Access, type AccessPolicy, type Command, type Origin, parseCommand } from './message.ts';
import { engineWords } from './words.ts';

/** Obeys the buttons of lists. */
export interface PressedCommands {
  /** Resolves with words for the person who pressed it. */
  press(command: Command, origin: Origin, list: PressedList): Promise<string | undefined>;
}

/** The list below which a command was pressed, and the command that shows it again. */
export interface PressedList {
  readonly id: string;
  readonly again: Command | undefined;
}

interface PressParts extends Pick<Core, 'readerOf' | 'clock'> {
  readonly access: Pick<AccessPolicy, 'accessOf' | 'mayCommand'>;
  readonly commands: PressedCommands;
  /** Whether it is obeyed whoever may talk there: a claim, or the decision of an approver. */
  readonly skipsAccess: (command: Command, access: Access) => boolean;
  readonly obey: (command: Command, origin: Origin) => Promise<void>;
}

/**
 * A press of a button that stands for a command can do no more than the person who presses it could by typing it there.
 * Resolves with words for them alone.
 */
export async function pressCommand(
  { line, listId, again }: PressedCommand,
  { key, conversation, sender }: InboundAction,
  { pressed: _pressed, ...origin }: Origin,
  { access, commands, clock, readerOf, skipsAccess, obey }: PressParts,
): Promise<string | undefined> {
  const words = engineWords[readerOf(origin).language];
  const command = parseCommand(`/${line}`);
  const shown = again === undefined ? undefined : parseCommand(`/${again}`);
  if (command === undefined || (again !== undefined && shown === undefined)) return words.toastDeadButton;
  const typed = { type: 'message', key, conversation, sender, text: `/${line}`, addressed: true } as const;
  const said: InboundMessage = { ...typed, sentAt: clock.now() };
  const mayTalk = access.accessOf(said);
  if (skipsAccess(command, mayTalk)) {
    await obey(command, origin);
    return undefined;
  }
  const mayCommand = [command, shown].every((one) => one === undefined || access.mayCommand(one, said));
  if (mayTalk.type !== 'welcome' || !mayCommand) return words.toastOnlyPeopleHere;
  if (listId !== undefined) return commands.press(command, origin, { id: listId, again: shown });
  await obey(command, origin);
  return undefined;
}
