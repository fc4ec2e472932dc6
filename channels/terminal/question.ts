import type { Button } from '../../src/contract.ts';
import { stripControls } from './strip-controls.ts';

/** The line that asks for one of the answers: `Allow? [y] approve · [a]lways · [n] deny`. */
export function questionFor(buttons: readonly Button[]): string {
  return `Allow? ${buttons.map(choiceFor).join(' · ')}`;
}

/** The button that a line presses: by its shortcut, its label, or `yes` and `no` in full. */
export function buttonFor(buttons: readonly Button[], line: string): Button | undefined {
  const answer = line.trim().toLowerCase();
  const short = answer === 'yes' || answer === 'no' ? answer.slice(0, 1) : answer;
  return (
    buttons.find(({ shortcut }) => shortcut.toLowerCase() === answer) ??
    buttons.find(({ shortcut }) => shortcut.toLowerCase() === short) ??
    buttons.find(({ label }) => label.toLowerCase() === answer)
  );
}

function choiceFor({ label, shortcut }: Button): string {
  const words = stripControls(label);
  const begins = words.toLowerCase().startsWith(shortcut.toLowerCase());
  return begins ? `[${words.slice(0, shortcut.length)}]${words.slice(shortcut.length)}` : `[${shortcut}] ${words}`;
}
