import { createInterface, type Interface, type Key } from 'node:readline';
import type { Clock } from '../../src/lib/clock.ts';
import { oneLine } from '../../src/lib/plain-text.ts';
import { lastRow, rowCount, textWidth } from '../../src/lib/text-width.ts';
import type { Completion } from './completion.ts';
import { createDrawing, type Drawing } from './drawing.ts';
import { type History, isWorthKeeping } from './history.ts';
import type { ScreenHandlers } from './keyboard.ts';
import { createKeys, type Keys } from './keys.ts';
import { clearLine, newTyping, type Typing, takeLineKey } from './line-keys.ts';
import { breakMark, createPastes, type Pastes } from './pastes.ts';
import { promptText } from './prompt.ts';
import { type Display, decidesAlone, type Question } from './question.ts';
import { ansiStyle } from './render.ts';
import { type Output, type TerminalStreams, widthOf } from './streams.ts';
import type { TerminalWords } from './words.ts';
import { createWorkingSign, type WorkingSign } from './working-sign.ts';

/** In ms. Who types a word presses its second key sooner. */
const oneKeyPause = 400;
/** Bracketed paste: the terminal marks where a paste begins and ends. */
const marksOn = '\u001b[?2004h';
const marksOff = '\u001b[?2004l';

export interface ScreenParts {
  readonly streams: TerminalStreams;
  readonly output: Output;
  readonly words: () => TerminalWords;
  readonly clock: Clock;
  readonly history: History;
  complete(before: string): Promise<Completion>;
}

/**
 * A prompt at the bottom, with all output above it. Output keeps the line being typed. While the person types, the
 * prompt keeps its question, so that an answer never goes to a card that arrived later.
 */
export interface Screen {
  readonly display: Display;
  /** Shows the prompt and starts reading. */
  open(handlers: ScreenHandlers): void;
  /** Restores the terminal. */
  close(): void;
}

interface ScreenState extends ScreenParts {
  readonly pastes: Pastes;
  readonly keys: Keys;
  readonly drawing: Drawing;
  readonly typing: Typing;
  /** While it is open. */
  readline: Interface | undefined;
  handlers: ScreenHandlers | undefined;
  /** The unfinished row above the prompt. */
  openRow: string;
  /** The whole line that it ends, of which a wider window shows more in its row. */
  openLine: string;
  readonly working: WorkingSign;
  /** The row that says so; empty if there is none. */
  workingRow: string;
  /** It stands between the open row and the prompt, in so many columns. */
  isWorkingShown: boolean;
  workingWidth: number;
  wanted: Question | undefined;
  shown: Question | undefined;
  /** The card that stands directly above the prompt. */
  cardAbove: string | undefined;
  /** Whether part of the line was pasted. */
  hasPaste: boolean;
  /** The line, if it was typed key by key since it was empty. */
  typed: string | undefined;
  /** The line ends without Enter. */
  isOneKey: boolean;
  /** Ends the wait for another key. */
  stopWaiting: (() => void) | undefined;
  /** The shell has the terminal: what is on it is not ours to erase. */
  isSuspended: boolean;
  /** Cleanups for `close`. */
  undo: readonly (() => void)[];
}

export function createScreen(parts: ScreenParts): Screen {
  const { streams, output, words, clock } = parts;
  const onPaste = (text: string): void => paste(text, screen);
  const onKey = (text: string | undefined, key: Key): boolean => takeKey(text, key, screen);
  const screen: ScreenState = {
    ...parts,
    pastes: createPastes(words),
    keys: createKeys({ input: streams.input, clock, onPaste, onKey, onEnd: () => screen.readline?.close() }),
    drawing: createDrawing(streams, output, () => resized(screen)),
    typing: newTyping(),
    readline: undefined,
    handlers: undefined,
    openRow: '',
    openLine: '',
    working: createWorkingSign({ clock, words, show: (row) => showWorking(row, screen) }),
    workingRow: '',
    isWorkingShown: false,
    workingWidth: 0,
    wanted: undefined,
    shown: undefined,
    cardAbove: undefined,
    hasPaste: false,
    typed: '',
    isOneKey: false,
    stopWaiting: undefined,
    isSuspended: false,
    undo: [],
  };
  return {
    display: displayOn(screen),
    open: (handlers) => open(screen, handlers),
    close: () => close(screen),
  };
}

function displayOn(screen: ScreenState): Display {
  const { streams, output } = screen;
  return {
    isLive: true,
    get columns() {
      return widthOf(streams);
    },
    print(lines, cardId) {
      screen.cardAbove = cardId;
      makePlace(screen);
      return output.write(above(`${screen.openRow === '' ? '' : '\n'}${lines}\n`, screen));
    },
    append(text) {
      if (text === '') return;
      screen.cardAbove = undefined;
      makePlace(screen);
      put(text, screen);
    },
    showWorking: (ended) => screen.working.begin(ended),
    // Write even an empty text, to learn whether earlier appends were written.
    endRow: () => output.write(screen.openRow === '' ? '' : above('\n', screen)),
    ask(question) {
      screen.wanted = question;
      if (question !== screen.shown) put('', screen);
    },
  };
}

function open(screen: ScreenState, handlers: ScreenHandlers): void {
  const { keys, drawing, output } = screen;
  const control = screen.streams.process;
  const reader = createInterface({ input: keys.stream, output: drawing.stream, terminal: true, historySize: 0 });
  screen.readline = reader;
  screen.handlers = handlers;
  keys.open();
  // Runs after readline's own handler.
  const onKey = (): void => heardKey(screen);
  keys.stream.on('keypress', onKey);
  reader.on('line', (line) => endLine(line, screen, handlers));
  reader.on('SIGINT', () => interrupt(screen, handlers));
  reader.on('SIGTSTP', () => suspend(reader, screen));
  reader.on('close', () => {
    const wasOpen = screen.readline !== undefined;
    leave(reader, screen);
    if (wasOpen) handlers.onEnd();
  });
  const stopHearing = control?.onContinue(() => goOn(screen));
  const stayMarked = control?.onExit(() => output.writeSoon(marksOff));
  const stopCatching = (): void => void keys.stream.off('keypress', onKey);
  screen.undo = [stopCatching, drawing.close, stopHearing, stayMarked].filter((callOff) => callOff !== undefined);
  output.writeSoon(marksOn);
  put('', screen);
}

function close(screen: ScreenState): void {
  const { readline: reader } = screen;
  if (reader !== undefined) {
    leave(reader, screen);
    reader.close();
  }
  if (screen.openRow !== '') put('\n', screen);
}

function leave(reader: Interface, screen: ScreenState): void {
  if (screen.readline === undefined) return;
  screen.output.writeSoon(`${erase(reader, screen)}${screen.openRow}${marksOff}`);
  screen.readline = undefined;
  screen.working.end();
  screen.keys.close();
  screen.stopWaiting?.();
  for (const callOff of screen.undo) callOff();
}

/** What is not left to readline. True if it is done. */
function takeKey(text: string | undefined, key: Key, screen: ScreenState): boolean {
  const { readline: reader, handlers, typing, history, complete } = screen;
  if (reader === undefined || handlers === undefined) return false;
  // The sign must not stay above the sent line.
  if (key.name === 'return' || key.name === 'enter') hideWorking(screen);
  const redraw = (): void => put('', screen);
  const isDone =
    key.ctrl === true && key.name === 'l'
      ? clearScreen(screen)
      : takeLineKey(text, key, { reader, typing, history, complete, redraw, list: handlers.onOptions });
  if (isDone) {
    screen.typed = undefined;
    screen.stopWaiting?.();
  }
  return isDone;
}

function clearScreen(screen: ScreenState): true {
  screen.output.writeSoon('\u001b[H\u001b[2J');
  // Nothing is left to erase.
  screen.isSuspended = true;
  put('', screen);
  screen.isSuspended = false;
  return true;
}

function hideWorking(screen: ScreenState): void {
  if (!screen.isWorkingShown) return;
  makePlace(screen);
  put('', screen);
}

function heardKey(screen: ScreenState): void {
  catchUp(screen);
  considerOneKey(screen);
}

/** Once the line is empty, the prompt may ask another card. */
function catchUp(screen: ScreenState): void {
  if (!isEmpty(screen)) return;
  screen.hasPaste = false;
  if (screen.shown !== screen.wanted) put('', screen);
}

/**
 * One key answers: if the line is an answer of the card that is asked, and nothing else is typed for a moment, it is taken
 * as if Enter had been pressed. Who goes on typing writes a text that begins with that letter.
 */
function considerOneKey(screen: ScreenState): void {
  const { readline, typed, clock } = screen;
  screen.stopWaiting?.();
  screen.stopWaiting = undefined;
  if (readline === undefined) return;
  const { line } = readline;
  const isTyped = line === '' || (typed !== undefined && line.length === typed.length + 1 && line.startsWith(typed));
  screen.typed = isTyped ? line : undefined;
  if (!isOneKeyAnswer(line, screen)) return;
  screen.stopWaiting = clock.after(oneKeyPause, () => {
    if (screen.readline?.line === line && isOneKeyAnswer(line, screen)) sendOneKey(screen);
  });
}

function isOneKeyAnswer(line: string, { typed, typing, shown, hasPaste, isSuspended }: ScreenState): boolean {
  return (
    typed === line &&
    !hasPaste &&
    typing.earlier.length === 0 &&
    !isSuspended &&
    shown !== undefined &&
    decidesAlone(shown.card, line)
  );
}

/** What Enter does, without it. */
function sendOneKey(screen: ScreenState): void {
  hideWorking(screen);
  screen.isOneKey = true;
  screen.readline?.write(null, { name: 'return' });
  screen.isOneKey = false;
}

function paste(text: string, screen: ScreenState): void {
  const line = screen.pastes.toLine(text);
  if (screen.readline === undefined || line === '') return;
  screen.hasPaste = true;
  screen.readline.write(line);
}

/** Nothing is typed. */
function isEmpty({ readline, typing }: ScreenState): boolean {
  return readline?.line === '' && typing.earlier.length === 0;
}

function endLine(lastLine: string, screen: ScreenState, handlers: ScreenHandlers): void {
  if (screen.readline === undefined) return;
  const { hasPaste, isOneKey, typing, pastes } = screen;
  const line = [...typing.earlier, lastLine].join(breakMark);
  if (isWorthKeeping(line, screen.shown?.card)) screen.history.add(line, pastes.isShort(line));
  Object.assign(typing, newTyping());
  const typed = { text: pastes.toText(line), card: screen.shown?.card, hasPaste, isOneKey };
  screen.hasPaste = false;
  screen.typed = '';
  // The typed line stays on the screen, so the row above it is complete.
  screen.openRow = '';
  screen.cardAbove = undefined;
  screen.output.writeSoon(prompt(screen.readline, screen));
  handlers.onLine(typed);
}

/** Ctrl-c deletes what is typed, if anything is. */
function interrupt(screen: ScreenState, handlers: ScreenHandlers): void {
  const { readline: reader, typing } = screen;
  if (reader === undefined || isEmpty(screen)) {
    handlers.onInterrupt();
    return;
  }
  typing.earlier = [];
  clearLine(reader);
  put('', screen);
  handlers.onClear();
}

function suspend(reader: Interface, screen: ScreenState): void {
  const { output, keys, openRow } = screen;
  const control = screen.streams.process;
  if (control === undefined) return;
  output.writeSoon(`${erase(reader, screen)}${openRow === '' ? '' : `${openRow}\n`}${marksOff}`);
  screen.openRow = '';
  screen.isWorkingShown = false;
  screen.isSuspended = true;
  keys.release();
  control.suspend(() => goOn(screen));
}

/** Back from the shell, which has changed the terminal. */
function goOn(screen: ScreenState): void {
  if (screen.readline === undefined) return;
  screen.keys.regain();
  screen.output.writeSoon(marksOn);
  put('', screen);
  screen.isSuspended = false;
}

/** In the place of an earlier one, without touching the prompt; then it does not flicker. */
function showWorking(row: string, screen: ScreenState): void {
  const { readline, streams, isSuspended, isWorkingShown } = screen;
  const cut = oneLine(row, widthOf(streams) - 1);
  if (cut !== '') screen.workingWidth = textWidth(cut);
  screen.workingRow = cut === '' || streams.color !== true ? cut : ansiStyle.dim(cut);
  if (readline === undefined || isSuspended) return;
  const rowsAbove = readline.getCursorPos().rows + 1;
  if (isWorkingShown && cut !== '')
    screen.output.writeSoon(`\u001b7\u001b[${rowsAbove}A\r${screen.workingRow}\u001b[K\u001b8`);
  else if (isWorkingShown || cut !== '') put('', screen);
}

/** What is shown takes the place of the sign. */
function makePlace(screen: ScreenState): void {
  screen.workingRow = '';
  screen.working.note();
}

function put(text: string, screen: ScreenState): void {
  screen.output.writeSoon(above(text, screen));
}

/** Terminals break and join rows again, also those of an unfinished line. */
function resized(screen: ScreenState): void {
  const { openRow, openLine, streams } = screen;
  if (openRow !== '' && rowCount(openLine, widthOf(streams)) <= mostOpenRows) screen.openRow = openLine;
  put('', screen);
}

/** What is further up cannot be drawn again. */
const mostOpenRows = 10;
const longestOpen = 4000;

/** The output that appends the text above the prompt. */
function above(text: string, screen: ScreenState): string {
  const { readline, streams } = screen;
  const erased = readline === undefined ? '' : erase(readline, screen);
  const whole = screen.openRow + text;
  screen.openLine = ((screen.openRow === '' ? '' : screen.openLine) + text).replace(/^.*\n/s, '').slice(-longestOpen);
  screen.openRow = lastRow(whole, widthOf(streams));
  if (readline === undefined) return text;
  // An open row was erased together with the prompt, which has its own row.
  screen.isWorkingShown = screen.workingRow !== '';
  const sign = screen.isWorkingShown ? `${screen.workingRow}\n` : '';
  return `${erased}${whole}${screen.openRow === '' ? '' : '\n'}${sign}${prompt(readline, screen)}`;
}

function erase(reader: Interface, screen: ScreenState): string {
  const { isSuspended, openRow, isWorkingShown, workingWidth, streams } = screen;
  if (isSuspended) return '';
  // The terminal may have become narrower since.
  const columns = widthOf(streams);
  const working = isWorkingShown ? Math.max(1, Math.ceil(workingWidth / columns)) : 0;
  const rows = reader.getCursorPos().rows + rowCount(openRow, columns) + working;
  return `${rows > 0 ? `\u001b[${rows}A` : ''}\r\u001b[J`;
}

function prompt(reader: Interface, screen: ScreenState): string {
  // What is typed is for the card that was asked when it was begun.
  if (isEmpty(screen)) screen.shown = screen.wanted;
  const { shown, cardAbove, streams, words, typing } = screen;
  const isBelow = cardAbove === shown?.card.id;
  reader.setPrompt(promptText(typing, shown, { isBelow, columns: widthOf(streams), words: words() }));
  return screen.drawing.prompt(reader);
}
