/** Writes config.schema.json, which editors use to complete and check config.json. */
import { writeFile } from 'node:fs/promises';
import { channelSettings } from '../channels/index.ts';
import { configJsonSchema } from './config-json-schema.ts';

await writeFile(new URL('../config.schema.json', import.meta.url), configJsonSchema(channelSettings));
