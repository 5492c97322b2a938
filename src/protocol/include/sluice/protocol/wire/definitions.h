#pragma once

#include "sluice/json/writer.h"
#include "sluice/protocol/model/prompt.h"
#include "sluice/protocol/model/resource.h"
#include "sluice/protocol/model/tool.h"
#include "sluice/protocol/revision.h"

// Definitions and content as a revision spells them. What a revision does not know is left out, or said in
// words that it knows: a 2024-11-05 client gets a line of text instead of an audio block.
namespace sluice::protocol {

void encode(const Tool& tool, Revision revision, json::Writer& out);
void encode(const Resource& resource, Revision revision, json::Writer& out);
void encode(const ResourceTemplate& resource_template, Revision revision, json::Writer& out);
void encode(const Prompt& prompt, Revision revision, json::Writer& out);
void encode(const Content& content, Revision revision, json::Writer& out);
void encode(const ResourceContents& contents, json::Writer& out);
void encode(const Implementation& implementation, Revision revision, json::Writer& out);

}  // namespace sluice::protocol
