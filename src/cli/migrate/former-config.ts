import { join } from 'node:path';
import type { JsonValue } from '../../lib/json.ts';
import type { Looking } from './findings.ts';
import { dataOf, type Gathering, gathering, type Syntax } from './gathering.ts';
import { type Variables, variablesOf } from './secrets.ts';

/** The config of another program, and what is gathered beside it. */
export interface FormerConfig {
  readonly gathered: Gathering;
  /** What it is called to people. */
  readonly file: string;
  /** Empty if it is not there or cannot be read, which `gathered` then says. */
  readonly config: JsonValue;
  /** What its `.env` sets. */
  readonly variables: Variables;
}

/** Reads the config of a program that keeps one file of this name, and a `.env` beside it. */
export async function formerConfig(looking: Looking, file: string, syntax: Syntax): Promise<FormerConfig> {
  const gathered = gathering(looking);
  const config = (await dataOf(join(looking.folder, file), syntax, gathered)) ?? {};
  return { gathered, file, config, variables: await variablesOf(join(looking.folder, '.env'), gathered) };
}
