/* What an owner may have the program's own commands do, each in a process of its own: no words of the page are in them. */

import type { CommandOutput } from '../../../config/config-desk.ts';
import { isJsonObject, type JsonObject, objectsIn, parseJson } from '../../../lib/json.ts';
import type { PageAnswer, PageAsked, PageCore } from '../page-route.ts';
import type { DoctorCheckWire, DoctorWire, MadeBackupWire, ReportWire } from '../wire/settings.ts';
import { noFile } from './no-file.ts';
import { settingsRouteWords } from './words.ts';

/** `keyturn doctor`. */
export function examine(asked: PageAsked, core: PageCore): Promise<PageAnswer> {
  return answerOf(['doctor', '--json'], asked, core, ({ stdout }) => doctorIn(parseJson(stdout)));
}

/** `keyturn backup`, into the folder for them. */
export function makeBackup(asked: PageAsked, core: PageCore): Promise<PageAnswer> {
  return answerOf(['backup', '--json'], asked, core, ({ code, stdout }) => {
    const made = parseJson(stdout);
    if (code !== 0 || !isJsonObject(made)) return undefined;
    core.log.info({ part: 'page', by: asked.visitor.principal }, 'a backup was made at the page');
    const told: MadeBackupWire = { file: String(made.file), size: Number(made.size) };
    return told;
  });
}

/** `keyturn report`: its text, to be shown before it is kept. */
export function makeReport(asked: PageAsked, core: PageCore): Promise<PageAnswer> {
  return answerOf(['report', '--print'], asked, core, ({ code, stdout }) => {
    const day = new Date(core.clock.now()).toISOString().slice(0, 10);
    const told: ReportWire = { name: `keyturn-report-${day}.md`, text: stdout };
    return code === 0 ? told : undefined;
  });
}

/** `read` gives undefined if the command has failed: then what it said is told. */
async function answerOf(
  words: readonly string[],
  { language, gone }: PageAsked,
  { configDesk }: PageCore,
  read: (output: CommandOutput) => object | undefined,
): Promise<PageAnswer> {
  if (configDesk === undefined) return noFile;
  const output = await configDesk.run(words, language, gone);
  const body = read(output);
  if (body !== undefined) return { status: 200, body };
  const why = output.stderr.trim().slice(0, longestShown);
  return { status: 409, refusal: (reader) => settingsRouteWords[reader].commandFailed({ why }) };
}

const longestShown = 2_000;

function doctorIn(told: unknown): DoctorWire | undefined {
  if (!isJsonObject(told) || !Array.isArray(told.parts)) return undefined;
  return {
    parts: objectsIn(told.parts).map(({ name, version, age }) => ({
      name: String(name),
      version: typeof version === 'string' ? version : null,
      age: String(age),
    })),
    faults: Array.isArray(told.faults) ? told.faults.map(String) : [],
    checks: objectsIn(told.checks).map(checkIn),
  };
}

function checkIn({ name, ok, state, problems }: JsonObject): DoctorCheckWire {
  return {
    name: String(name),
    ok: ok === true,
    state: String(state),
    problems: objectsIn(problems).map(({ fault, what, why, mend }) => ({
      fault: fault === true,
      what: String(what),
      why: String(why),
      mend: String(mend),
    })),
  };
}
