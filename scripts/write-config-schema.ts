/** Writes config.schema.json, which editors use to complete and check config.json, and docs/config.md for people. */
import { writeFile } from 'node:fs/promises';
import { channelSettings } from '../channels/index.ts';
import { settingsOfFeatures } from '../src/features/index.ts';
import { configJsonSchema } from './config-json-schema.ts';
import { configReference } from './config-reference.ts';

const schema = configJsonSchema(channelSettings, await settingsOfFeatures());
await writeFile(new URL('../config.schema.json', import.meta.url), schema);
await writeFile(new URL('../docs/config.md', import.meta.url), configReference(JSON.parse(schema)));
