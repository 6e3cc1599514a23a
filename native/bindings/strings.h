// Python's strings as texts of the core, read in place.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "bridge/chars.h"
#include "bridge/clean_text.h"
#include "module.h"

// What Python knows of all characters; made at the first call.
const bridge::CharTable& char_table();

// The characters of a str, which must outlive the result.
bridge::Text characters(const nb::str& text);

// A str of some code points, all of them below 0x110000.
nb::str str_of(const bridge::OwnText& text);
nb::str str_of(std::u32string_view signs);

using Spans = Mat<const std::uint32_t>;

// Rows (start, end) as spans of a text; refuses any other.
std::vector<bridge::Span> checked_spans(const Spans& rows, const bridge::Text& text);

// Spans as rows (start, end), and what is odd as rows (place, start, end).
nb::object rows_of(std::vector<bridge::Span>&& spans);
nb::object rows_of(std::vector<bridge::Odd>&& odd);
