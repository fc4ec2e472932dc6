import { chmod, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type JsonValue, parseJson } from '../../../../src/lib/json.ts';
import { newFolder } from '../../../support/new-folder.ts';
import { waitUntil } from '../../../support/wait-for.ts';

/** A folder with hooks, which write down what they were told. */
export class HookFolder {
  readonly folder: string;

  constructor(folder: string) {
    this.folder = folder;
  }

  /** The config of a hook that says this, in a shell's words, after it has noted what it was told. */
  async hook(name: string, words: string, settings: Readonly<Record<string, unknown>> = {}) {
    const file = join(this.folder, `${name}.sh`);
    await writeFile(file, `#!/bin/sh\nevent=$(cat)\nprintf '%s\\n' "$event" >> ${name}.told\n${words}\n`);
    await chmod(file, 0o755);
    return { command: `./${name}.sh`, working_dir: this.folder, ...settings };
  }

  /** All that a hook was told. */
  async told(name: string): Promise<readonly JsonValue[]> {
    const text = await readFile(join(this.folder, `${name}.told`), 'utf8').catch(() => '');
    return text.split('\n').flatMap((line) => parseJson(line) ?? []);
  }

  /** Lets hooks end that wait for it. */
  release(): Promise<void> {
    return writeFile(join(this.folder, 'go'), '');
  }

  /** Resolves when it was told of so many events. */
  async heard(name: string, times: number): Promise<readonly JsonValue[]> {
    const heard = async () => (await this.told(name)).length >= times;
    await waitUntil(heard, { what: `${name} to hear of ${times}` });
    return this.told(name);
  }
}

/** What a hook says, in a shell's words. */
export function says(decision: JsonValue): string {
  return `printf '%s' '${JSON.stringify(decision)}'`;
}

export async function hookFolder(): Promise<HookFolder> {
  const folder = await newFolder();
  return new HookFolder(folder);
}
