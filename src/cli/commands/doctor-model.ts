import { resolveModels } from '../../config/choose-model.ts';
import { loadConfig } from '../../config/load.ts';
import { trialText, tryModelOf } from '../doctor/model-trial.ts';
import { doctorWords } from '../doctor/words.ts';
import { loadOptionsOf } from '../place.ts';
import { UnansweredError } from '../unanswered-error.ts';
import { processLanguage } from '../words.ts';
import { type CommandContext, exitCodes } from './command.ts';

/** `doctor model [NAME]`: asks a model for one call of a tool, and tells what it can. Default: the model of the config. */
export async function doctorModel({ program, place, operands, asJson, print }: CommandContext): Promise<number> {
  const loaded = await loadConfig(await loadOptionsOf(place, program));
  const language = processLanguage(program.process.env, loaded.config);
  const chosen = resolveModels(loaded.config, loaded.environment);
  const [name = chosen.defaultName] = operands;
  if (!chosen.models.has(name))
    throw new UnansweredError(exitCodes.misused, (reader) =>
      doctorWords[reader].noSuchModel({ name, names: [...chosen.models.keys()] }),
    );
  const trial = await tryModelOf(loaded, name, language);
  print(asJson ? JSON.stringify(trial, undefined, 2) : trialText(trial, language));
  return trial.ok ? exitCodes.done : exitCodes.failed;
}
