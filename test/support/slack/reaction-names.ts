/** Of all the names that Slack knows, the usual ones. What is not here is refused as unknown. */
export const reactionNames: readonly string[] = [
  ...'+1 -1 thumbsup thumbsdown ok_hand wave clap pray raised_hands muscle point_up eyes eye brain bulb mag'.split(' '),
  ...'thinking_face hourglass hourglass_flowing_sand stopwatch alarm_clock clock1 timer_clock gear hammer'.split(' '),
  ...'wrench hammer_and_wrench construction robot_face white_check_mark heavy_check_mark ballot_box_with_check'.split(
    ' ',
  ),
  ...'x heavy_multiplication_x negative_squared_cross_mark no_entry no_entry_sign octagonal_sign warning'.split(' '),
  ...'rotating_light exclamation heavy_exclamation_mark question grey_question zap fire sparkles star tada'.split(' '),
  ...'rocket heart broken_heart 100 smile slightly_smiling_face sweat_smile joy cry sob scream sleeping zzz'.split(' '),
  ...'confused neutral_face shrug see_no_evil speech_balloon thought_balloon pencil memo writing_hand lock'.split(' '),
  ...'unlock key bell no_bell email inbox_tray outbox_tray package link pushpin round_pushpin paperclip'.split(' '),
  ...'arrows_counterclockwise repeat recycle black_square_for_stop double_vertical_bar red_circle large_blue_circle'.split(
    ' ',
  ),
  ...'large_green_circle large_yellow_circle white_circle black_circle skull ghost bug computer keyboard'.split(' '),
];
