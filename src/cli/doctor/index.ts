import type { Check } from './check.ts';
import { checkCertificates, checkClock, checkProxies } from './connections.ts';
import { checkDatabase } from './data/database.ts';
import { checkFolders } from './data/folders.ts';
import { checkConfigFile, checkDisk, checkPermissions } from './places.ts';
import { checkDiscord } from './platforms/discord.ts';
import { checkSlack } from './platforms/slack.ts';
import { checkTelegram } from './platforms/telegram.ts';
import { checkRunning } from './process/running.ts';
import { checkNamed, checkUser } from './process/surroundings.ts';
import { checkModels } from './servers/models.ts';
import { checkSandbox } from './shell-sandbox.ts';

/** All checks, in the order of the report. */
export const checks: Readonly<Record<string, Check>> = {
  config: checkConfigFile,
  permissions: checkPermissions,
  user: checkUser,
  folders: checkFolders,
  disk: checkDisk,
  database: checkDatabase,
  process: checkRunning,
  clock: checkClock,
  proxy: checkProxies,
  certificates: checkCertificates,
  sandbox: checkSandbox,
  programs: checkNamed,
  models: checkModels,
  telegram: checkTelegram,
  slack: checkSlack,
  discord: checkDiscord,
};
