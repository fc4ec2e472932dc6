import { isKeeping, keep } from './keeping.ts';

// A process of its own, so that what it does to files can be recorded: the deed's name, and the folder.

const [, , name, folder = ''] = process.argv;
if (!isKeeping(name)) throw new Error(`There is no such deed: ${name}`);
// Waits of the daemon do not keep a process alive.
const alive = setInterval(() => undefined, 60_000);
await keep(name, folder);
clearInterval(alive);
