import { z } from 'zod';
import { llmOnly, type ToolOutput } from '../../src/tools/output.ts';
import { registrationOf, type ToolRegistration } from '../../src/tools/registry.ts';
import { defineTool, type ToolCategory, type ToolContext } from '../../src/tools/tool.ts';
import { Changes } from './wait-for.ts';

type Execute = (what: string, context: ToolContext) => ToolOutput | Promise<ToolOutput>;

/** A tool that writes down with what it was executed. */
export class RecordingTool {
  readonly executed: string[] = [];
  readonly changes = new Changes();
  readonly registration: ToolRegistration;

  /** `unreadable`: each call is asked for, and no saved permission opens it. */
  constructor(name: string, kind: ToolCategory | 'unreadable', execute: Execute = (what) => llmOnly(`done: ${what}`)) {
    const tool = defineTool({
      name,
      category: kind === 'unreadable' ? 'shell' : kind,
      facets: () => ({ unreadable: kind === 'unreadable' }),
      description: `Does what ${name} does.`,
      input: z.object({ what: z.string() }),
      describeCall: ({ what }) => `${name} ${what}`,
      execute: async ({ what }, context) => {
        this.executed.push(what);
        this.changes.notify();
        return execute(what, context);
      },
    });
    this.registration = registrationOf(tool);
  }

  /** Resolves when it has been executed so often. */
  async ran(times: number): Promise<void> {
    await this.changes.waitFor(() => this.executed.length >= times, { what: `execution ${times} of the tool` });
  }
}

/** Reads what strangers have written: it is untrusted from then on. */
export function readPage(): RecordingTool {
  return new RecordingTool('read_page', 'network_read', () => ({ ...llmOnly('a page'), untrusted: 'evil.example' }));
}

/** Goes on until it is told to end, and says so. */
export async function untilStopped(_what: string, { signal }: ToolContext): Promise<ToolOutput> {
  if (!signal.aborted) {
    await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
  }
  return llmOnly('ended early');
}
