import { defineChannel } from '@keyturn/sdk/channel';
import { LineAdapter } from './line-adapter.ts';
import { settings } from './settings.ts';

/** Talks with programs on this machine, one JSON object a line: see README.md. */
export default defineChannel({ name: 'line', settings, create: (given) => new LineAdapter(given) });
