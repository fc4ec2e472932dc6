import { builtinNames } from '../../../../src/config/tool-rules.ts';
import type {
  DeviceFrame,
  DeviceLink,
  DeviceResult,
} from '../../../../src/features/devices/remote/device-connection.ts';
import { createRemoteTools, type RemoteTools } from '../../../../src/features/devices/remote/remote-tools.ts';
import type { DeviceSettings } from '../../../../src/features/devices/settings.ts';
import type { JsonObject, JsonValue } from '../../../../src/lib/json.ts';
import { silentLog } from '../../../../src/lib/log.ts';
import { workspaces } from '../../../../src/tools/guard/workspace/workspace.ts';
import type { FileDraft, FileKeeper } from '../../../../src/tools/output.ts';
import { createToolRegistry } from '../../../../src/tools/registry.ts';
import { createToolRunner } from '../../../../src/tools/runner.ts';
import type { ToolContext, ToolScope } from '../../../../src/tools/tool.ts';
import { coreWith } from '../../../support/core-with.ts';
import { ManualClock } from '../../../support/manual-clock.ts';
import { newFolder } from '../../../support/new-folder.ts';
import { wholeSchema } from '../../../support/whole-schema.ts';
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

export type FakeDevice = ReturnType<typeof deviceOf>;

/** A socket of a device, as the gateway holds it: what it is sent is written down. */
function deviceOf(tools: RemoteTools, { id = 'phone1', name = 'Phone', principal = 'terminal:1' }: DeviceAs) {
  const frames: DeviceFrame[] = [];
  const line = { isOpen: true };
  const link: DeviceLink = {
    device: { id, name, principal },
    send: (frame) => {
      if (line.isOpen) frames.push(frame);
      return line.isOpen;
    },
  };
  const socket = tools.attach(link);
  const requests = () => frames.filter((frame) => frame.type === 'tool_call_request');
  const newest = (): string => requests().at(-1)?.id ?? '';
  return {
    ...{ link, frames, socket },
    /** Whether it can be sent anything. */
    line,
    offer: (...specs: readonly JsonValue[]) => tools.offer(socket, specs),

    get requests(): readonly Request[] {
      return requests();
    },

    get cancelled(): readonly string[] {
      return frames.flatMap((frame) => (frame.type === 'tool_call_cancelled' ? [frame.reason] : []));
    },

    /** Answers the newest request. */
    answer: (result: Partial<DeviceResult> = {}) =>
      socket.settle({ id: newest(), success: true, output: 'done', ...result }),
    progress: (message: string) => socket.progress(newest(), message),

    chunk(part: string, index: number, bytes: Uint8Array, last: boolean) {
      return socket.chunk(newest(), { part, index, data: Buffer.from(bytes).toString('base64'), last });
    },

    leave(): void {
      line.isOpen = false;
      tools.detach(socket);
    },
  };
}

export type RemoteSetting = Awaited<ReturnType<typeof remoteSetting>>;

/** The tools of devices in a registry, with time by hand. Ada has two accounts, `terminal:1` and `test:ada`. */
export async function remoteSetting(settings: Partial<DeviceSettings['remote_tools']> = {}) {
  const clock = new ManualClock();
  const registry = createToolRegistry({ log: silentLog, reserved: builtinNames(wholeSchema().parse({})) });
  const runner = createToolRunner({ clock });
  const workspace = await newFolder();
  const kept: FileDraft[] = [];
  const keeper: FileKeeper = {
    keep: async (_messageId, files) => {
      kept.push(...files);
      return files.map(({ name, mediaType, from = '' }) => ({ name, mediaType, size: 1, from }));
    },
  };
  const ada = ['terminal:1', 'test:ada'];
  const remote_tools = { enabled: true, allowed: { '*': ['*'] }, max_result_bytes: 10_000, ...settings };
  const tools = createRemoteTools(
    coreWith({
      config: wholeSchema().parse({ remote_tools }),
      accounts: { accountsOf: (principal: string) => (ada.includes(principal) ? ada : [principal]) },
      store: { files: keeper },
      adapters: new Map([['terminal', { capabilities: { maxFileBytes: 1_000_000 } }]]),
      workspaceAt: workspaces(),
      registry,
      clock,
    }),
  );
  registry.include(tools);

  function scope(principal = 'terminal:1'): ToolScope {
    return { ...scopeIn(workspace), sender: { principal, name: 'Ada' } };
  }

  return {
    ...{ clock, tools, registry, kept, workspace, scope },
    device: (as: DeviceAs = {}) => deviceOf(tools, as),
    names: (principal?: string) => registry.list(scope(principal)).map(({ name }) => name),

    /** As the loop does it. Resolves once the call runs, with what comes of it. */
    async begin(name: string, args: JsonValue = {}, changed: Partial<ToolContext> = {}) {
      const found = await registry.get(name, scope(changed.sender?.principal));
      if (found === undefined) throw new Error(`no tool ${name}`);
      const call = await prepared(found.tool, args);
      return { ending: runner.run(call, contextIn(workspace, changed)) };
    },
  };
}

/** The same with one device. */
export async function oneDevice(settings: Partial<DeviceSettings['remote_tools']> = {}, as: DeviceAs = {}) {
  const setting = await remoteSetting(settings);
  return { setting, device: setting.device(as) };
}
