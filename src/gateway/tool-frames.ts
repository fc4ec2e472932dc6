import type { DeviceTools } from '../tools/sources/remote/device-link.ts';
import type { ClientFrame } from './client-frame.ts';
import type { ServerFrame } from './server-frames.ts';

/** What a device says of its tools and their calls. */
export type ToolFrame = Extract<
  ClientFrame,
  {
    readonly type:
      | 'register_tools'
      | 'unregister_tools'
      | 'get_registered_tools'
      | 'result'
      | 'tool_result_chunk'
      | 'tool_progress';
  }
>;

/** Hands it to the tools of devices. Returns the answer for the device, if there is one. */
export function answerToolFrame(frame: ToolFrame, connection: string, tools: DeviceTools): ServerFrame | undefined {
  switch (frame.type) {
    case 'register_tools':
      return { type: 'tools_registered', ...tools.offer(connection, frame.tools) };
    case 'unregister_tools':
      return { type: 'tools_unregistered', ...tools.withdraw(connection, frame.names) };
    case 'get_registered_tools':
      return { type: 'registered_tools', tools: tools.offered(connection).map((tool) => ({ ...tool })) };
    case 'result': {
      const { result } = frame;
      return { type: 'result_acknowledged', id: result.id, status: tools.settle(connection, result) };
    }
    case 'tool_result_chunk': {
      // There are many of them: silence means that it was taken.
      const status = tools.chunk(connection, frame.chunk);
      return status === 'accepted' ? undefined : { type: 'result_acknowledged', id: frame.chunk.id, status };
    }
    case 'tool_progress':
      tools.progress(connection, frame.id, frame.message);
      return undefined;
  }
}
