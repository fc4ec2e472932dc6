import { type CallContext, type DeviceTool, ResultWithFiles } from './device-tool.ts';
import { framesWith } from './file-frames.ts';
import { isJson, type Json, textOf } from './json.ts';

export interface DeviceCallsOptions {
  /** The current tools by name. */
  readonly tools: ReadonlyMap<string, DeviceTool>;
  /** Calls that run in parallel. */
  readonly concurrency: number;
  /** Sends a frame, if connected. */
  readonly send: (frame: Json) => void;
}

interface TakenCall {
  readonly id: string;
  readonly request: Json;
  readonly controller: AbortController;
}

/** Runs the calls that the server requests, in order. */
export class DeviceCalls {
  readonly #options: DeviceCallsOptions;
  readonly #calls = new Map<string, TakenCall>();
  #queue: TakenCall[] = [];
  #running = 0;

  constructor(options: DeviceCallsOptions) {
    this.#options = options;
  }

  take(request: Json): void {
    const call = { id: textOf(request.id), request, controller: new AbortController() };
    this.#calls.set(call.id, call);
    this.#queue.push(call);
    this.#next();
  }

  /** Aborts a call that the server no longer waits for. */
  cancel(id: string, reason: string): void {
    const call = this.#calls.get(id);
    if (call === undefined) return;
    this.#calls.delete(id);
    this.#queue = this.#queue.filter((one) => one !== call);
    call.controller.abort(new Error(`The call was cancelled: ${reason}`));
  }

  /** Aborts all calls. */
  cancelAll(reason: string): void {
    for (const id of [...this.#calls.keys()]) this.cancel(id, reason);
  }

  #next(): void {
    while (this.#running < this.#options.concurrency) {
      const call = this.#queue.shift();
      if (call === undefined) return;
      this.#running += 1;
      void this.#run(call).finally(() => {
        this.#running -= 1;
        this.#next();
      });
    }
  }

  /** Never rejects. A cancelled call sends nothing. */
  async #run(call: TakenCall): Promise<void> {
    const frames = await this.#framesOf(call);
    if (!this.#calls.delete(call.id)) return;
    for (const frame of frames) this.#options.send(frame);
  }

  async #framesOf(call: TakenCall): Promise<readonly Json[]> {
    const { id, request } = call;
    const name = textOf(request.name);
    const tool = this.#options.tools.get(name);
    if (tool === undefined) return [errorFrame(id, new Error(`Unknown tool: ${name}`))];
    try {
      const args = isJson(request.args) ? request.args : {};
      const frames = [...resultFrames(id, await tool.run(args, this.#contextOf(call)))];
      // Throws here on values that JSON cannot hold, while an error can still be sent.
      JSON.stringify(frames.at(-1));
      return frames;
    } catch (error) {
      return [errorFrame(id, error)];
    }
  }

  #contextOf({ id, request, controller }: TakenCall): CallContext {
    const timeout = request.timeout_ms;
    return {
      signal: controller.signal,
      callId: textOf(request.tool_call_id),
      timeoutMs: typeof timeout === 'number' ? timeout : 30_000,
      progress: (message) => {
        if (this.#calls.has(id)) this.#options.send({ type: 'tool_progress', id, message });
      },
    };
  }
}

/** The frames of a handler's result. `undefined` becomes an empty text. */
function resultFrames(id: string, result: unknown): Iterable<Json> {
  const { output = '', files } = result instanceof ResultWithFiles ? result : { output: result, files: [] };
  const said = { type: 'tool_result', id, output, success: true };
  return framesWith(files, { type: 'tool_result_chunk', id }, said, 'content');
}

function errorFrame(id: string, thrown: unknown): Json {
  const message = thrown instanceof Error && thrown.message !== '' ? thrown.message : 'Handler threw exception';
  return { type: 'tool_error', id, error: message.slice(0, 10_000), success: false };
}
