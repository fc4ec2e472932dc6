import { once } from '../../src/lib/background.ts';
import { findShell } from '../../src/tools/guard/process/command-shell.ts';

/** The shell that the product takes on this machine: bash where it is installed. Looked for once in each process. */
export const machineShell = once(() => findShell(process.env.PATH));
