// The Python class QuestionWords: a question and its words.
#pragma once

#include "bridge/words.h"
#include "module.h"

struct BoundQuestion {
  nb::str text;
  bridge::QuestionWords words;
};
