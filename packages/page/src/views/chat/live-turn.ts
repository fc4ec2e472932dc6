/* What a session shows before it is stored: the text that grows, what the model thinks, what tools are doing. */

export interface LiveTurn {
  /** Empty: nothing is going on. */
  readonly id: string;
  /** All texts of the turn, as far as they are known. */
  readonly text: string;
  /** A part of the text was missed: it is not shown before it comes again. */
  readonly isTorn: boolean;
  readonly thinking: string;
  readonly calls: readonly LiveCall[];
  readonly isOver: boolean;
  /** A person is to decide. */
  readonly isWaiting: boolean;
  /** Why there is no answer. */
  readonly fault: string | undefined;
}

export interface LiveCall {
  readonly id: string;
  readonly name: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  readonly state: 'wait' | 'doing' | 'success' | 'error';
  /** What it is doing, as it says. */
  readonly tip: string | undefined;
  readonly output: string | undefined;
  readonly duration: number | undefined;
}

export const noTurn: LiveTurn = {
  id: '',
  text: '',
  isTorn: false,
  thinking: '',
  calls: [],
  isOver: false,
  isWaiting: false,
  fault: undefined,
};

/** What a frame changes. `stored`: something was stored that can be asked for · `ended`: the turn is over. */
export interface Heard {
  readonly turn: LiveTurn;
  readonly tells: 'nothing' | 'stored' | 'ended';
}

type Frame = Readonly<Record<string, unknown>>;

/** The turn after a frame. */
export function hear(turn: LiveTurn, frame: Frame): Heard {
  switch (frame.type) {
    case 'turn_start':
      return { turn: { ...noTurn, id: textOf(frame.turn_id) || 'turn' }, tells: 'stored' };
    case 'chunk':
      return { turn: { ...begun(turn, frame), text: turn.text + textOf(frame.content) }, tells: 'nothing' };
    case 'chunk_reset':
      return { turn: { ...begun(turn, frame), text: '', isTorn: false }, tells: 'nothing' };
    case 'thinking':
      return { turn: { ...begun(turn, frame), thinking: turn.thinking + textOf(frame.content) }, tells: 'nothing' };
    case 'tool_call':
      return { turn: withCall(begun(turn, frame), frame, { arguments: objectOf(frame.args) }), tells: 'stored' };
    case 'tool_status':
      return { turn: withCall(begun(turn, frame), frame, statusOf(frame)), tells: 'nothing' };
    case 'tool_result':
      return { turn: withCall(begun(turn, frame), frame, resultOf(frame)), tells: 'stored' };
    case 'replay':
      return { turn: frame.complete === false ? { ...turn, text: '', isTorn: true } : turn, tells: 'stored' };
    case 'file':
    case 'approval_request':
    case 'approval_resolved':
      return { turn, tells: 'stored' };
    case 'done':
      return over(turn, { text: textOf(frame.full_response), isWaiting: frame.waiting === true });
    case 'aborted':
      return over(turn, {});
    case 'error':
      return frame.turn_id === undefined ? { turn, tells: 'nothing' } : over(turn, { fault: textOf(frame.message) });
    default:
      return { turn, tells: 'nothing' };
  }
}

/** Of a turn whose beginning was missed, the frames tell. */
function begun(turn: LiveTurn, frame: Frame): LiveTurn {
  return turn.id === '' || turn.isOver ? { ...noTurn, id: textOf(frame.turn_id) || 'turn' } : turn;
}

function over(turn: LiveTurn, ending: Partial<LiveTurn>): Heard {
  return { turn: { ...turn, ...ending, isTorn: false, isOver: true }, tells: 'ended' };
}

function withCall(turn: LiveTurn, frame: Frame, changed: Partial<LiveCall>): LiveTurn {
  const id = textOf(frame.id);
  const known = turn.calls.find((call) => call.id === id);
  const call: LiveCall = { ...(known ?? newCall(id, textOf(frame.name))), ...changed };
  const calls = known === undefined ? [...turn.calls, call] : turn.calls.map((one) => (one.id === id ? call : one));
  return { ...turn, calls };
}

function newCall(id: string, name: string): LiveCall {
  return { id, name, arguments: {}, state: 'wait', tip: undefined, output: undefined, duration: undefined };
}

function statusOf({ state, tip, duration_ms: duration }: Frame): Partial<LiveCall> {
  const known = (['wait', 'doing', 'success', 'error'] as const).find((one) => one === state) ?? 'doing';
  return {
    state: known,
    tip: typeof tip === 'string' ? tip : undefined,
    duration: typeof duration === 'number' ? duration : undefined,
  };
}

function resultOf({ output, success }: Frame): Partial<LiveCall> {
  return { output: textOf(output), state: success === false ? 'error' : 'success', tip: undefined };
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function objectOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {};
}
