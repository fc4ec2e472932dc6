import { resolveModels } from '../../config/choose-model.ts';
import { loadConfig } from '../../config/load.ts';
import { systemClock } from '../../lib/clock.ts';
import { openModelOf } from '../doctor/open-one-model.ts';
import { announcement, probedText, probeText } from '../doctor/probes/probe-text.ts';
import { probeModel } from '../doctor/probes/run-probes.ts';
import { probeWords } from '../doctor/probes/words.ts';
import { doctorWords } from '../doctor/words.ts';
import { loadOptionsOf } from '../place.ts';
import { UnansweredError } from '../unanswered-error.ts';
import { processLanguage } from '../words.ts';
import { type CommandContext, exitCodes } from './command.ts';

/**
 * `doctor model [NAME]`: probes what a model can, and tells what to write into the config. Default: the model of the config.
 * What was found is printed as it comes, so that Ctrl-C loses none of it.
 */
export async function doctorModel(context: CommandContext): Promise<number> {
  const { program, place, operands, asJson, isOn, print } = context;
  const loaded = await loadConfig(await loadOptionsOf(place, program));
  const language = processLanguage(program.process.env, loaded.config);
  const chosen = resolveModels(loaded.config, loaded.environment);
  const [name = chosen.defaultName] = operands;
  if (!chosen.models.has(name))
    throw new UnansweredError(exitCodes.misused, (reader) =>
      doctorWords[reader].noSuchModel({ name, names: [...chosen.models.keys()] }),
    );
  const one = await openModelOf(loaded, name);
  const { label } = one.model;
  if (one.isOffline) {
    const says = probeWords[language].practice;
    print(
      asJson ? JSON.stringify({ model: label, ok: true, callsTools: false, says, probes: [] }, undefined, 2) : says,
    );
    return exitCodes.done;
  }
  const isQuick = isOn('quick');
  if (!asJson) print(announcement(label, isQuick, language));
  const probed = await probeModel(one, {
    key: name,
    isQuick,
    clock: systemClock,
    random: Math.random,
    language,
    found: (report) => {
      if (!asJson) print(probeText(report, language));
    },
  });
  print(asJson ? JSON.stringify(probed, undefined, 2) : probedText(probed, language));
  return probed.ok && probed.callsTools ? exitCodes.done : exitCodes.failed;
}
