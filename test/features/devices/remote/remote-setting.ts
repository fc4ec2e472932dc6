import { type Config, configSchema } from '../../../../src/config/schema.ts';
import type {
  DeviceConnection,
  DeviceFrame,
  DeviceLink,
  DeviceResult,
} from '../../../../src/features/devices/remote/device-calls.ts';
import { createRemoteTools, type RemoteTools } from '../../../../src/features/devices/remote/remote-tools.ts';
import type { JsonObject, JsonValue } from '../../../../src/lib/json.ts';
import { silentLog } from '../../../../src/lib/log.ts';
import type { FileDraft, FileKeeper } from '../../../../src/tools/output.ts';
import { createToolRegistry } from '../../../../src/tools/registry.ts';
import { type CallEnding, createToolRunner } from '../../../../src/tools/runner.ts';
import type { ToolContext, ToolScope } from '../../../../src/tools/tool.ts';
import { coreWith } from '../../../support/core-with.ts';
import { ManualClock } from '../../../support/manual-clock.ts';
import { newFolder } from '../../../support/new-folder.ts';
import { contextIn, prepared, scopeIn } from '../../../tools/setting.ts';

type Request = Extract<DeviceFrame, { type: 'tool_call_request' }>;

export interface DeviceAs {
  readonly id?: string;
  readonly name?: string;
  readonly principal?: string;
}

/** A tool as devices describe it. */
export function spec(name: string, more: JsonObject = {}): JsonObject {
  return { name, description: `The tool ${name}.`, parameters: { type: 'object', properties: {} }, ...more };
}

/** A socket of a device, as the gateway holds it: what it is sent is written down. */
export class FakeDevice {
  readonly link: DeviceLink;
  readonly frames: DeviceFrame[] = [];
  /** Whether it can be sent anything. */
  isOpen = true;
  /** Answers at once, if it is set. */
  onRequest: ((request: Request) => void) | undefined;
  readonly #tools: RemoteTools;
  readonly socket: DeviceConnection;

  constructor(tools: RemoteTools, { id = 'phone1', name = 'Phone', principal = 'terminal:1' }: DeviceAs) {
    this.#tools = tools;
    this.link = {
      device: { id, name, principal },
      send: (frame) => {
        if (!this.isOpen) return false;
        this.frames.push(frame);
        if (frame.type === 'tool_call_request') this.onRequest?.(frame);
        return true;
      },
    };
    this.socket = tools.attach(this.link);
  }

  offer(...specs: readonly JsonValue[]) {
    return this.#tools.offer(this.socket, specs);
  }

  get requests(): readonly Request[] {
    return this.frames.filter((frame) => frame.type === 'tool_call_request');
  }

  get cancelled(): readonly string[] {
    return this.frames.flatMap((frame) => (frame.type === 'tool_call_cancelled' ? [frame.reason] : []));
  }

  /** Answers the newest request. */
  answer(result: Partial<DeviceResult> = {}) {
    return this.socket.settle({
      id: this.requests.at(-1)?.id ?? '',
      success: true,
      output: 'done',
      ...result,
    });
  }

  progress(message: string): void {
    this.socket.progress(this.requests.at(-1)?.id ?? '', message);
  }

  chunk(part: string, index: number, bytes: Uint8Array, last: boolean) {
    const data = Buffer.from(bytes).toString('base64');
    return this.socket.chunk(this.requests.at(-1)?.id ?? '', { part, index, data, last });
  }

  leave(): void {
    this.isOpen = false;
    this.#tools.detach(this.socket);
  }
}

/** The tools of devices in a registry, with time by hand. Ada has two accounts, `terminal:1` and `test:ada`. */
export class RemoteSetting {
  readonly clock = new ManualClock();
  readonly tools: RemoteTools;
  readonly registry = createToolRegistry({ log: silentLog });
  readonly kept: FileDraft[] = [];
  readonly workspace: string;
  readonly #runner = createToolRunner({ clock: this.clock });

  constructor(workspace: string, settings: Partial<Config['remote_tools']>) {
    this.workspace = workspace;
    const keeper: FileKeeper = {
      keep: async (_messageId, files) => {
        this.kept.push(...files);
        return files.map(({ name, mediaType, from = '' }) => ({ name, mediaType, size: 1, from }));
      },
    };
    const ada = ['terminal:1', 'test:ada'];
    const remote_tools = { enabled: true, allowed: { '*': ['*'] }, max_result_bytes: 10_000, ...settings };
    this.tools = createRemoteTools(
      coreWith({
        config: configSchema({}).parse({ remote_tools }),
        accounts: { accountsOf: (principal: string) => (ada.includes(principal) ? ada : [principal]) },
        store: { files: keeper },
        adapters: new Map([['terminal', { capabilities: { maxFileBytes: 1_000_000 } }]]),
        ownPaths: [],
        registry: this.registry,
        clock: this.clock,
      }),
    );
    this.registry.include(this.tools);
  }

  device(as: DeviceAs = {}): FakeDevice {
    return new FakeDevice(this.tools, as);
  }

  scope(principal = 'terminal:1'): ToolScope {
    return { ...scopeIn(this.workspace), sender: { principal, name: 'Ada' } };
  }

  names(principal?: string): readonly string[] {
    return this.registry.list(this.scope(principal)).map(({ name }) => name);
  }

  /** As the loop does it. Resolves once the call runs, with what comes of it. */
  async begin(
    name: string,
    args: JsonValue = {},
    changed: Partial<ToolContext> = {},
  ): Promise<{ ending: Promise<CallEnding> }> {
    const found = await this.registry.get(name, this.scope(changed.sender?.principal));
    if (found === undefined) throw new Error(`no tool ${name}`);
    const call = await prepared(found.tool, args);
    return { ending: this.#runner.run(call, contextIn(this.workspace, changed)) };
  }
}

export async function remoteSetting(settings: Partial<Config['remote_tools']> = {}): Promise<RemoteSetting> {
  return new RemoteSetting(await newFolder(), settings);
}

/** The same with one device. */
export async function oneDevice(settings: Partial<Config['remote_tools']> = {}, as: DeviceAs = {}) {
  const setting = await remoteSetting(settings);
  return { setting, device: setting.device(as) };
}
