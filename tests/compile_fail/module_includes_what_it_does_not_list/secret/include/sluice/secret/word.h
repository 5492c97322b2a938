#pragma once

int word();
