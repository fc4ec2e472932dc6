import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { newFolder } from '../new-folder.ts';
import { waitUntil } from '../wait-for.ts';

const script = fileURLToPath(new URL('scripted-server.ts', import.meta.url));

/** A tool as an MCP server defines it. */
export function definition(name: string, more: object = {}): object {
  return { name, description: `Does ${name}.`, inputSchema: { type: 'object' }, ...more };
}

/** What a scripted server has, and what it has heard. */
export class ServerFolder {
  readonly path: string;

  constructor(path: string) {
    this.path = path;
  }

  /** The block of the config that starts it. No call of it has to be approved. */
  config(more: object = {}, habit = ''): Readonly<Record<string, unknown>> {
    return { command: process.execPath, args: [script, this.path, habit], category: 'network_read', ...more };
  }

  define(...tools: readonly object[]): void {
    writeFileSync(join(this.path, 'tools.json'), JSON.stringify(tools));
  }

  /** The server says that it has other tools. */
  announce(): void {
    process.kill(this.pid, 'SIGUSR2');
  }

  /** The server says how far it is with what it waits for. */
  report(): void {
    process.kill(this.pid, 'SIGHUP');
  }

  get pid(): number {
    return Number(readFileSync(join(this.path, 'pid'), 'utf8'));
  }

  /** The methods that it has heard, in their order. */
  get heard(): readonly string[] {
    return this.messages.flatMap(({ method }) => method ?? []);
  }

  get messages(): readonly { readonly method?: string; readonly params?: Readonly<Record<string, unknown>> }[] {
    const lines = readFileSync(join(this.path, 'heard.jsonl'), 'utf8').split('\n');
    return lines.filter((line) => line !== '').map((line) => JSON.parse(line));
  }

  /** Resolves when it has heard that so often. */
  async hears(method: string, times = 1): Promise<void> {
    const count = (): number => this.heard.filter((one) => one === method).length;
    await waitUntil(() => count() >= times, {
      what: `the server to hear ${method}`,
      describe: () => this.heard.join(),
    });
  }
}

/** A folder for a scripted server with these tools. */
export async function serverFolder(...tools: readonly object[]): Promise<ServerFolder> {
  const folder = new ServerFolder(await newFolder());
  folder.define(...tools);
  writeFileSync(join(folder.path, 'heard.jsonl'), '');
  return folder;
}
