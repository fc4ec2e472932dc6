import type { CallContext, DeviceTool } from './device-tool.ts';
import { isJson, type Json, textOf } from './json.ts';
import { errorFrame, resultFrames } from './result-frames.ts';

export interface DeviceCallsOptions {
  /** The tools by their names, as they are now. */
  readonly tools: ReadonlyMap<string, DeviceTool>;
  /** How many calls run at once. */
  readonly concurrency: number;
  /** Sends to the server if it is there. */
  readonly send: (frame: Json) => void;
}

interface TakenCall {
  readonly id: string;
  readonly request: Json;
  readonly controller: AbortController;
}

/** Works off the calls that the server asks for, in their order. */
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

  /** The server does not wait for this call any more. */
  cancel(id: string, reason: string): void {
    const call = this.#calls.get(id);
    if (call === undefined) return;
    this.#calls.delete(id);
    this.#queue = this.#queue.filter((one) => one !== call);
    call.controller.abort(new Error(`The call was cancelled: ${reason}`));
  }

  /** Nobody waits for any of them any more. */
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

  /** Never rejects. What was cancelled says nothing any more. */
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
      // What JSON cannot hold is found here, while it can still be said.
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
