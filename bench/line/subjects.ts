import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

/** Where a subject lives while it is measured. */
export interface Place {
  /** A new folder. */
  readonly folder: string;
  readonly telegram: string;
  readonly model: string;
  /** Keys of the config beside those that connect it, for Keyturn. */
  readonly config: Readonly<Record<string, unknown>>;
}

/** How a subject is started. */
export interface Command {
  readonly args: readonly string[];
  readonly cwd: string;
}

/** A bot that is measured. */
export interface Subject {
  readonly name: string;
  readonly kind: 'keyturn' | 'bare' | 'floor';
  readonly command: (place: Place) => Command;
}

const root = resolve(import.meta.dirname, '../..');

/** The few lines that a person would write: grammY and the AI SDK, and nothing stored. */
export const bare: Subject = {
  name: 'bare',
  kind: 'bare',
  command: (place) => lineIn('bare.js', place),
};

/** The same work with Node and SQLite, and nothing else. */
export const floor: Subject = {
  name: 'floor',
  kind: 'floor',
  command: (place) => lineIn('floor.js', place),
};

/** The Keyturn of a checkout, this one if none is named, as `npm start` starts it. */
export function keyturn(name = 'Keyturn', checkout = root): Subject {
  return {
    name,
    kind: 'keyturn',
    command: (place) => {
      const file = join(place.folder, 'config.json');
      writeFileSync(file, JSON.stringify({ ...connected(place), ...place.config }));
      return { args: [join(checkout, 'src/start.js'), '--config', file], cwd: checkout };
    },
  };
}

function connected({ telegram, model }: Place): Readonly<Record<string, unknown>> {
  return {
    models: { bench: { provider: 'openai_compatible', base_url: model, name: 'bench' } },
    model: 'bench',
    channels: { telegram: { enabled: true, token: '4242:AAbench', api_root: telegram, allow_from: ['*'] } },
  };
}

function lineIn(script: string, { folder, telegram, model }: Place): Command {
  return { args: [join(root, 'bench/peers', script), telegram, model, folder], cwd: folder };
}
